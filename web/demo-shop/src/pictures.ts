// Pictures of our own: the products and a few signs. Their grounds are in the style sheet.

const drawn = (inner: string): string =>
  `<svg viewBox="0 0 320 240" aria-hidden="true" focusable="false">${inner}</svg>`;
const SHADOW = 'fill="#000" fill-opacity=".12"';

const notebook = drawn(`<ellipse cx="164" cy="212" rx="92" ry="9" ${SHADOW}/>
<g transform="rotate(-5 160 120)"><rect x="98" y="34" width="132" height="174" rx="7" fill="#fffaf0"/><path d="M226 40h4a6 6 0 0 1 6 6v154a6 6 0 0 1-6 6h-4z" fill="#e4dcc8"/>
<rect x="88" y="30" width="138" height="178" rx="9" fill="#1f5d4c"/><rect x="88" y="30" width="24" height="178" rx="9" fill="#17493b"/><path d="M104 30h8v178h-8z" fill="#17493b"/>
<rect x="134" y="66" width="68" height="44" rx="4" fill="#f6efdd"/><path d="M144 80h48M144 92h32" stroke="#1f5d4c" stroke-width="3" stroke-linecap="round"/>
<path d="M206 30v178" stroke="#e9b44c" stroke-width="7"/><path d="M150 206v22l8-7 8 7v-22z" fill="#c8553d"/></g>`);

const pen = drawn(`<ellipse cx="168" cy="200" rx="104" ry="8" ${SHADOW}/>
<g transform="rotate(-32 160 120)"><rect x="52" y="106" width="128" height="28" rx="14" fill="#d9a441"/><rect x="52" y="106" width="128" height="11" rx="5.5" fill="#f0cc7f"/>
<path d="M172 106h40l14 5v18l-14 5h-40z" fill="#26324a"/><path d="M172 106h40l14 5v4h-54z" fill="#3b4a68"/><rect x="168" y="104" width="9" height="32" rx="3" fill="#f0cc7f"/>
<path d="M226 111c20 1 36 5 48 9-12 4-28 8-48 9z" fill="#fdfaf2" stroke="#b9ad8d" stroke-width="1.5"/><path d="M236 120h38" stroke="#8b8471" stroke-width="2"/><circle cx="240" cy="120" r="3" fill="#8b8471"/>
<path d="M64 98h56a4 4 0 0 1 4 4v2H60v-2a4 4 0 0 1 4-4z" fill="#b98324"/></g>
<path d="M262 52c14 6 6 18-4 16s-14 8-2 12" fill="none" stroke="#26324a" stroke-width="4" stroke-linecap="round"/>`);

const ink = drawn(`<ellipse cx="160" cy="210" rx="84" ry="9" ${SHADOW}/>
<rect x="132" y="34" width="56" height="38" rx="7" fill="#20243a"/><path d="M141 38v30M151 38v30M161 38v30M171 38v30M181 38v30" stroke="#3a4060" stroke-width="3"/>
<path d="M138 72h44v14c28 6 44 22 44 46v62a14 14 0 0 1-14 14H108a14 14 0 0 1-14-14v-62c0-24 16-40 44-46z" fill="#dfe8ff"/>
<path d="M104 134h112v58a8 8 0 0 1-8 8h-96a8 8 0 0 1-8-8z" fill="#2746d8"/><path d="M104 134c18-10 38 8 58 0s38-8 54 0v10H104z" fill="#3d5cf0"/>
<rect x="122" y="148" width="76" height="36" rx="4" fill="#fff"/><path d="M134 161h52M142 172h36" stroke="#2746d8" stroke-width="3" stroke-linecap="round"/>
<path d="M108 120c4-14 12-20 24-24" fill="none" stroke="#fff" stroke-width="5" stroke-linecap="round"/>`);

const clip = (x: number, y: number, turn: number, colour: string): string =>
  `<g transform="translate(${x} ${y}) rotate(${turn})" fill="none" stroke-width="8" stroke-linecap="round" stroke-linejoin="round"><path transform="translate(4 6)" d="M-18 30v-62a18 18 0 0 1 36 0v76a26 26 0 0 1-52 0v-58" stroke="#000" stroke-opacity=".1"/><path d="M-18 30v-62a18 18 0 0 1 36 0v76a26 26 0 0 1-52 0v-58" stroke="${colour}"/></g>`;
const clips = drawn(clip(96, 122, -24, '#c8553d') + clip(168, 108, 10, '#20243a') + clip(240, 126, 38, '#f7f3e8'));

const letters = drawn(`<ellipse cx="160" cy="206" rx="104" ry="9" ${SHADOW}/>
<g transform="rotate(6 200 90)"><rect x="112" y="28" width="132" height="150" rx="4" fill="#fff"/><path d="M130 56h96M130 72h96M130 88h70" stroke="#c9cfdd" stroke-width="4" stroke-linecap="round"/></g>
<g transform="rotate(-4 150 150)"><rect x="58" y="96" width="196" height="108" rx="6" fill="#f3c9bd"/><path d="M58 102l98 66 98-66v-2a4 4 0 0 0-4-4H62a4 4 0 0 0-4 4z" fill="#e8ab9b"/>
<path d="M60 202l72-54M252 202l-72-54" stroke="#dd9986" stroke-width="3"/><circle cx="156" cy="160" r="17" fill="#a83a2a"/><path d="M149 160l5 5 10-10" fill="none" stroke="#f3c9bd" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></g>`);

const lamp = drawn(`<ellipse cx="142" cy="212" rx="84" ry="8" ${SHADOW}/>
<path d="M164 116l86-46 34 132H176z" fill="#fff4c4" fill-opacity=".7"/>
<rect x="84" y="196" width="104" height="14" rx="7" fill="#20243a"/><path d="M128 198L98 116l66-58" fill="none" stroke="#20243a" stroke-width="9" stroke-linecap="round" stroke-linejoin="round"/>
<circle cx="98" cy="116" r="10" fill="#e9b44c"/><circle cx="164" cy="58" r="8" fill="#e9b44c"/>
<g transform="rotate(-28 196 78)"><path d="M166 56h52a26 26 0 0 1 26 26v8H140v-8a26 26 0 0 1 26-26z" fill="#d1495b"/><path d="M166 56h52a26 26 0 0 1 8 1c-30 4-52 14-62 33h-24v-8a26 26 0 0 1 26-26z" fill="#e06a7a"/><rect x="136" y="88" width="112" height="7" rx="3.5" fill="#9c2f40"/></g>`);

export const PICTURES = { notebook, pen, ink, clips, letters, lamp } as const;

const sign = (inner: string): string =>
  `<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round">${inner}</svg>`;

export const ICONS = {
  brand:
    '<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M5 3h9l5 5v13H5z" fill="currentColor"/><path d="M14 3v5h5" fill="none" stroke="var(--ground)" stroke-width="1.6"/><path d="M8.5 13h7M8.5 16.5h4.5" stroke="var(--ground)" stroke-width="1.6" stroke-linecap="round"/></svg>',
  good: sign('<path d="M5 12.5l4.5 4.5L19 7.5"/>'),
  back: sign('<path d="M9 6.5L4.5 11 9 15.5"/><path d="M5 11h9.5a5 5 0 0 1 0 10H12" transform="translate(0 -2)"/>'),
  bad: sign('<path d="M7 7l10 10M17 7L7 17"/>'),
  wait: sign('<circle cx="12" cy="12" r="8.6"/><path d="M12 7.6V12l2.8 1.8"/>'),
  odd: sign('<path d="M12 5.6v8M12 18.2v.1"/>'),
} as const;
