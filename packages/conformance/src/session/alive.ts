/** Whether a process of this number runs, or has ended and nobody has asked how. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
