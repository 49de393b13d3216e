// The style of the window around a bank's page. The bank's page has 390 × 560 pixels, or what a small screen has.

export const CHALLENGE_STYLE = `
:host { all: initial; }
dialog {
  color-scheme: light;
  --ground: #fff; --text: #151b27; --line: #dfe3ea; --ring: #2f52d9; --turn: #5b6575;
  box-sizing: border-box; width: 392px; max-width: none; height: 618px; max-height: calc(100dvh - 32px);
  margin: auto; padding: 0; overflow: hidden; border: 1px solid var(--line); border-radius: 12px;
  background: var(--ground); color: var(--text);
  font: 16px/1.4 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  box-shadow: 0 24px 64px rgb(10 14 24 / 36%);
}
dialog[open] { display: flex; flex-direction: column; }
dialog::backdrop { background: rgb(10 14 24 / 56%); }
dialog[data-theme="dark"] { color-scheme: dark; --ground: #171b23; --text: #e8ebf1; --line: #3a4150; --ring: #8aa2ff; --turn: #a3acba; }
@media (prefers-color-scheme: dark) {
  dialog[data-theme="auto"] { color-scheme: dark; --ground: #171b23; --text: #e8ebf1; --line: #3a4150; --ring: #8aa2ff; --turn: #a3acba; }
}
header { display: flex; flex: none; align-items: center; justify-content: space-between; gap: 8px; min-height: 56px; padding: 4px 6px 4px 20px; border-bottom: 1px solid var(--line); box-sizing: border-box; }
h2 { margin: 0; font-size: 16px; font-weight: 600; line-height: 1.3; outline: none; }
button { flex: none; width: 44px; height: 44px; padding: 0; border: 0; border-radius: 8px; background: transparent; color: inherit; font: 28px/1 system-ui, sans-serif; cursor: pointer; }
button:hover { background: color-mix(in srgb, var(--text) 8%, transparent); }
button:focus-visible { outline: 2px solid var(--ring); outline-offset: -2px; }
div { position: relative; flex: 1; min-height: 0; }
div::before {
  content: ""; position: absolute; inset: 0; width: 32px; height: 32px; margin: auto; box-sizing: border-box;
  border: 3px solid color-mix(in srgb, var(--turn) 30%, transparent); border-top-color: var(--turn); border-radius: 50%;
  animation: turn 0.9s linear infinite;
}
@keyframes turn { to { transform: rotate(1turn); } }
iframe { position: absolute; inset: 0; display: block; width: 100%; height: 100%; border: 0; visibility: hidden; }
iframe[data-loaded] { visibility: visible; background: var(--ground); }
@media (max-width: 480px) {
  dialog { width: 100vw; height: 100dvh; max-height: none; margin: 0; border: 0; border-radius: 0; }
}
@media (prefers-reduced-motion: reduce) { div::before { animation-duration: 3s; } }
`;
