// An origin that a page's policy can name, such as https://acs.bank.example:8443.

/**
 * True for the text as browsers write it: small letters, no default port, no path, and neither an IPv6 address nor a
 * character that would end a directive of a policy or name many hosts.
 */
export const isOrigin = (text: string): boolean =>
  /^https?:\/\/[\w.-]+(:\d+)?$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
