/** What styles have to carry that code puts into the document: others are refused by the page's policy. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

// The name under which Radix's scroll lock looks for it.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
