/** The file types that a search can be narrowed to, with their extensions. */
const endings: Readonly<Record<string, readonly string[]>> = {
  c: ["c", "h"],
  cpp: ["cc", "cpp", "cxx", "h", "hh", "hpp"],
  cs: ["cs"],
  css: ["css", "scss", "less"],
  go: ["go"],
  html: ["html", "htm"],
  java: ["java"],
  js: ["js", "cjs", "mjs", "jsx"],
  json: ["json", "jsonl"],
  kotlin: ["kt", "kts"],
  md: ["md", "markdown", "mdx"],
  php: ["php"],
  py: ["py", "pyi"],
  ruby: ["rb"],
  rust: ["rs"],
  sh: ["sh", "bash", "zsh"],
  sql: ["sql"],
  swift: ["swift"],
  toml: ["toml"],
  ts: ["ts", "cts", "mts", "tsx"],
  txt: ["txt"],
  xml: ["xml"],
  yaml: ["yaml", "yml"],
};

export const fileKinds = Object.keys(endings);

/** A test whether a path is of a type; undefined for an unknown type. */
export function fileKind(kind: string): ((path: string) => boolean) | undefined {
  if (!Object.hasOwn(endings, kind)) return undefined;
  return (path) => endings[kind]?.some((ending) => path.endsWith(`.${ending}`)) ?? false;
}
