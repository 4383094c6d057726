/** The file of an agent of this name, by its path below a root. */
export const definition = (name: string, fields = "", body = "You count."): Readonly<Record<string, string>> => ({
  [`agents/${name}.md`]: `---\nname: ${name}\ndescription: counts rules\n${fields === "" ? "" : `${fields}\n`}---\n\n${body}\n`,
});
