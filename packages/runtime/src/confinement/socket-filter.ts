/**
 * Numbers of the kernel's interface, which never change: of the architecture, of `socket` and of
 * `socketpair`.
 */
const architectures: Readonly<Record<string, { readonly id: number; readonly socket: number; readonly pair: number }>> =
  {
    x64: { id: 0xc000003e, socket: 41, pair: 53 },
    arm64: { id: 0xc00000b7, socket: 198, pair: 199 },
  };

const ioUringSetup = 425;
/** From here on calls are numbered by another convention of the same processor. */
const foreignCalls = 0x40000000;
const datagram = 2;

const load = 0x20;
const isEqual = 0x15;
const isAtLeast = 0x35;
const and = 0x54;
const done = 0x06;
const allow = 0x7fff0000;
const refuse = 0x00050000 | 1;

/**
 * A seccomp filter under which no socket can be made, so that a program without network does not
 * reach those that listen on a path either: a daemon of containers, say, would do for it what it
 * may not do. Undefined for processors whose numbers are not known here.
 */
export function socketFilter(arch: string): Uint8Array | undefined {
  const known = Object.hasOwn(architectures, arch) ? architectures[arch] : undefined;
  if (!known) return undefined;
  const { id, socket, pair } = known;
  // The third and fourth number say how many instructions are left out when the comparison holds,
  // and when it does not.
  return assembled([
    [load, 4, 0, 0],
    [isEqual, id, 0, 9],
    [load, 0, 0, 0],
    [isAtLeast, foreignCalls, 7, 0],
    [isEqual, socket, 6, 0],
    [isEqual, ioUringSetup, 5, 0],
    [isEqual, pair, 0, 3],
    [load, 24, 0, 0],
    [and, 0xf, 0, 0],
    // A pair of datagram sockets can send to any other that has a path.
    [isEqual, datagram, 1, 0],
    [done, allow, 0, 0],
    [done, refuse, 0, 0],
  ]);
}

function assembled(instructions: readonly (readonly [number, number, number, number])[]): Uint8Array {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [at, [code, value, whenTrue, whenFalse]] of instructions.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(whenTrue, at * 8 + 2);
    bytes.writeUInt8(whenFalse, at * 8 + 3);
    bytes.writeUInt32LE(value, at * 8 + 4);
  }
  return bytes;
}
