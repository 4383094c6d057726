import { type Markup, markup, textOf, trusted } from "./markup.ts";
import { style } from "./style.ts";

/** A page that loads and runs nothing: its policy forbids both, should a target inject markup. */
export const page = (title: string, body: Markup): string =>
  textOf(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${trusted(style)}</style>
</head>
<body>
${body}
</body>
</html>
`);
