/**
 * Equal messages differ by an ordinal alone, which the file counts from the start again once one of
 * them is removed. The consumer goes on counting, so that no key is given twice.
 */
export function openKeys() {
  const removed = new Map<string, Set<number>>();
  const parts = (key: string): readonly [hash: string, ordinal: number] => {
    const [hash = "", ordinal] = key.split("#");
    return [hash, Number(ordinal)];
  };

  function given(key: string): string {
    const [hash, place] = parts(key);
    let ordinal = place;
    for (const gone of [...(removed.get(hash) ?? [])].sort((a, b) => a - b)) if (gone <= ordinal) ordinal += 1;
    return `${hash}#${ordinal}`;
  }

  function onDisk(keys: ReadonlySet<string>): Set<string> {
    const left = [...keys].map(parts).filter(([hash, ordinal]) => !removed.get(hash)?.has(ordinal));
    const before = (hash: string, ordinal: number) => [...(removed.get(hash) ?? [])].filter((gone) => gone < ordinal);
    return new Set(left.map(([hash, ordinal]) => `${hash}#${ordinal - before(hash, ordinal).length}`));
  }

  function remove(onDisk: readonly string[]): void {
    for (const [hash, ordinal] of onDisk.map(given).map(parts))
      removed.set(hash, new Set([...(removed.get(hash) ?? []), ordinal]));
  }
  return { given, onDisk, remove };
}
