// The nonce that this response's policy allows on style tags. Mantine creates some as it renders, and so does the
// scroll lock.
declare global {
  /**
   * The place where libraries that create style tags look for the nonce (the package get-nonce, used by
   * react-remove-scroll).
   */
  var __webpack_nonce__: string | undefined;
}

/** The nonce, or '' if the page came without a policy, from Vite's own server. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

globalThis.__webpack_nonce__ = styleNonce;
