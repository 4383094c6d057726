// Runs in one checkout take turns where they write the same files: installing and building.
import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * No install takes this long: the turn has expired, even if its process id now belongs to another.
 */
const longestMs = 10 * 60_000;

/**
 * Does the work while no other run of this checkout does such work. The turn of a run that died is
 * over.
 * @template T
 * @param {string} dir where the turn is kept
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function inTurn(dir, work) {
  mkdirSync(dir, { recursive: true });
  const turn = join(dir, "turn");
  const ticket = `${process.pid}-${randomUUID()}`;
  const mine = join(dir, `part-${ticket}`);
  const leave = () => {
    if (holderOf(turn) === ticket) rmSync(turn);
  };
  writeFileSync(mine, ticket);
  process.on("exit", leave);
  try {
    for (let waits = 0; !take(mine, turn); waits++) {
      if (waits === 40) console.error("waiting for another run to set up");
      if (!clearAway(turn, mine)) await sleep(50);
    }
    return await work();
  } finally {
    leave();
    process.off("exit", leave);
    rmSync(mine);
  }
}

/**
 * @param {string} mine
 * @param {string} turn
 */
function take(mine, turn) {
  try {
    linkSync(mine, turn);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * Ends the turn of a run that is gone; false when there is none to end.
 * @param {string} turn
 * @param {string} mine
 */
function clearAway(turn, mine) {
  const holder = holderOf(turn);
  if (holder === undefined || !isOver(turn, holder)) return false;
  const aside = `${mine}-aside`;
  try {
    renameSync(turn, aside);
    // Between the look and the rename somebody else may have cleared it away and begun: that turn
    // goes back.
    if (holderOf(aside) !== holder) linkSync(aside, turn);
    rmSync(aside);
  } catch (error) {
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "EEXIST") throw error;
  }
  return true;
}

/**
 * @param {string} turn
 * @param {string} holder
 */
function isOver(turn, holder) {
  const age = Date.now() - (statSync(turn, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  return age > longestMs || !isAlive(Number.parseInt(holder, 10));
}

/** @param {string} turn */
function holderOf(turn) {
  try {
    return readFileSync(turn, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** @param {unknown} error */
const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error).code;
