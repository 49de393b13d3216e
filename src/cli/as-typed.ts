// The commands in printed texts, as their reader types them. A text of ours has them between backticks, without npx.

/** True if npm or npx started this process: then the program alone need not be a command of the reader. */
const isByNpm = (): boolean => process.env['npm_command'] !== undefined;

/** `audit verify`: `npx counterfoil audit verify`, or without npx. */
export const commandLine = (words: string, name = 'counterfoil'): string =>
  `${isByNpm() ? 'npx ' : ''}${name} ${words}`;

/** The text with its commands as they are typed. */
export const asTyped = (text: string): string =>
  isByNpm() ? text.replace(/`(counterfoil(?:-verify)? [^`\n]+`)/g, '`npx $1') : text;
