// Starts Scalar on the description that the page names, without the features that call another server.
import { currentScheme, type Scheme } from './colour-scheme.ts';
import { keepNamed } from './named-parts.ts';

interface Reference {
  updateConfiguration(configuration: object): void;
}
declare const Scalar: { createApiReference(selector: string, configuration: object): Reference };

interface Tag {
  readonly name?: string;
}
/** In the order in which a shop meets them, then those of management; others come last. */
const TAGS = [
  ...['Client sessions', 'Checkout', 'Payments', 'Payment instruments', 'Webhooks', 'Sandbox'],
  ...['API keys', 'Webhook endpoints', 'Users', 'Account', 'Service'],
];
const placeOf = ({ name = '' }: Tag): number => (TAGS.includes(name) ? TAGS.indexOf(name) : TAGS.length);

/** The languages of Scalar's examples but curl: the introduction names the clients for Node and Python. */
const HIDDEN = [
  ...['c', 'clojure', 'csharp', 'dart', 'fsharp', 'go', 'http', 'java', 'js', 'kotlin', 'node', 'objc', 'ocaml'],
  ...['php', 'powershell', 'python', 'r', 'ruby', 'rust', 'swift', 'shell/httpie', 'shell/wget'],
];

const shown = document.querySelector<HTMLElement>('#reference');
const configurationOf = (scheme: Scheme): object => ({
  url: shown?.dataset['document'],
  baseServerURL: location.origin,
  // The package's calls to other servers: fonts, telemetry, an assistant, its tools and its cloud. The pages' policy
  // also forbids them.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  documentDownloadType: 'json',
  hideDarkModeToggle: true,
  forceDarkModeState: scheme,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: HIDDEN,
  // The search of the pages finds the operations, too.
  hideSearch: true,
  authentication: { preferredSecurityScheme: 'apiKey' },
  orderSchemaPropertiesBy: 'preserve',
  tagsSorter: (one: Tag, other: Tag) => placeOf(one) - placeOf(other),
});

shown?.replaceChildren();
// Its dialogs and menus are next to the reference in the body.
keepNamed(document.body);
const reference = Scalar.createApiReference('#reference', configurationOf(currentScheme()));
document.addEventListener('scheme', () => reference.updateConfiguration(configurationOf(currentScheme())));
