import type { InboxRead, Read } from "@troupe/protocol";
import { readSettled } from "../document.ts";
import { ageOf, type Case } from "./finding.ts";

/** Clients that write in place show half a document for a moment, and never one that stood for as long as this. */
const tornMs = 1_000;

type Found = Read<unknown> | InboxRead;

/** What is wrong with a document, as one case: more than its reader can go on with, or what hurts nobody here. */
export function casesOf(path: string, found: Found, cure?: Case["cure"]): Case[] {
  const [first, ...more] = found.problems;
  if (!first) return [];
  const isCorrupt = isTorn(found) || !found.isWritable || ("value" in found && found.value === undefined);
  const isDangling = found.problems.every((problem) => problem.path === "/leadAgentId");
  const kind = isCorrupt ? "document_corrupt" : isDangling ? "reference_dangling" : "document_faulty";
  const message = more.length > 0 ? `${first.message}, and ${more.length} things more` : first.message;
  return [{ kind, path, message, fix: cure ? "keep it aside, and go on with what is whole" : first.fix, cure }];
}

/** Reads as the store does; what stops it from being read at all is a case as well. The cure is for what does not parse as it should. */
export async function examineDocument(path: string, read: (bytes: Uint8Array) => Found, cure?: Case["cure"]) {
  try {
    const found = await readSettled(path, read, (found) => isTorn(found) && ageOf(path) < tornMs);
    if (!found) return [];
    return casesOf(path, found, isTorn(found) || found.raw === undefined ? cure : undefined);
  } catch (error) {
    const { message } = error as Error;
    return [{ kind: "document_corrupt", path, message, fix: "put a readable file in its place" } satisfies Case];
  }
}

const isTorn = ({ problems }: Found): boolean => problems.some(({ code }) => code === "document_torn");
