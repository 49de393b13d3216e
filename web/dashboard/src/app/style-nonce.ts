// The nonce that this answer's policy allows on style tags: Mantine makes some as it draws, and so does the lock of the page's scroll.
declare global {
  /** Where libraries that make style tags look for the nonce (the package get-nonce, as react-remove-scroll uses it). */
  var __webpack_nonce__: string | undefined;
}

/** '' where the page came without a policy, from Vite's own server. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

globalThis.__webpack_nonce__ = styleNonce;
