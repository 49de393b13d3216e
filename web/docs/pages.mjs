// The pages of the documentation: the Markdown file of each, its address below /docs, and its place in the navigation.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {object} Page
 * @property {string} source its Markdown, from the root of the repository
 * @property {string} url its address
 * @property {string} [nav] its name in the navigation; without one only links and the search lead to it
 * @property {string} [crumb] the page that it belongs to, where it has no place in the navigation
 */

/** @type {readonly { readonly title: string, readonly isPath?: boolean, readonly pages: readonly Page[] }[]} */
export const GROUPS = [
  {
    title: 'Take payments',
    isPath: true,
    pages: [
      { source: 'docs/guides/index.md', url: '/docs', nav: 'What this is' },
      { source: 'docs/guides/first-payment.md', url: '/docs/first-payment', nav: 'The first payment' },
      { source: 'docs/guides/checkout.md', url: '/docs/checkout', nav: 'The checkout' },
      { source: 'docs/guides/webhooks.md', url: '/docs/webhooks', nav: 'Webhooks' },
      { source: 'docs/guides/going-live.md', url: '/docs/going-live', nav: 'Going live' },
    ],
  },
  {
    title: 'Integrate',
    pages: [
      { source: 'docs/guides/checkout-details.md', url: '/docs/checkout-details', nav: 'The checkout in detail' },
      { source: 'docs/guides/payment-links.md', url: '/docs/payment-links', nav: 'Payment links' },
      { source: 'docs/guides/agreements.md', url: '/docs/agreements', nav: 'Charge later' },
      { source: 'docs/client.md', url: '/docs/node-client', nav: 'The Node client' },
      { source: 'docs/python-client.md', url: '/docs/python-client', nav: 'The Python client' },
      { source: 'docs/guides/testing.md', url: '/docs/testing', nav: 'Sandbox and testing' },
      { source: 'docs/guides/tunnels.md', url: '/docs/tunnels', nav: 'A service on a laptop' },
      { source: 'docs/guides/webhook-endpoints.md', url: '/docs/webhook-endpoints', nav: 'Webhook endpoints' },
      { source: 'docs/guides/stripe.md', url: '/docs/stripe', nav: 'Stripe' },
      { source: 'docs/guides/routing.md', url: '/docs/routing', nav: 'Routing' },
    ],
  },
  {
    title: 'Run',
    pages: [
      { source: 'docs/guides/dashboard.md', url: '/docs/dashboard', nav: 'The dashboard' },
      { source: 'docs/operating.md', url: '/docs/operating', nav: 'Operating' },
      { source: 'docs/guides/backups.md', url: '/docs/backups', nav: 'Backups' },
      { source: 'docs/guides/proofs.md', url: '/docs/proofs', nav: 'Proofs for outsiders' },
      { source: 'docs/guides/master-secret.md', url: '/docs/master-secret', nav: 'The master secret' },
      { source: 'docs/guides/management.md', url: '/docs/management', nav: 'Management by program' },
      { source: 'docs/guides/infrastructure.md', url: '/docs/infrastructure', nav: 'Infrastructure as code' },
      { source: 'deploy/README.md', url: '/docs/several-nodes', nav: 'Several nodes' },
      { source: 'SECURITY.md', url: '/docs/security', nav: 'Security' },
      { source: 'docs/guides/pci.md', url: '/docs/pci', nav: 'PCI' },
    ],
  },
  {
    title: 'Understand',
    pages: [
      { source: 'docs/guides/how-it-works.md', url: '/docs/how-it-works', nav: 'How it works inside' },
      { source: 'docs/architecture.md', url: '/docs/architecture', nav: 'Architecture' },
      { source: 'docs/adr/README.md', url: '/docs/decisions', nav: 'Decisions' },
      { source: 'docs/glossary.md', url: '/docs/glossary', nav: 'Glossary' },
    ],
  },
  {
    title: 'The contract',
    pages: [
      { source: 'docs/contract.md', url: '/docs/contract', nav: 'Every call' },
      ...[
        ['sessions', 'Sessions'],
        ['payments', 'Payments'],
        ['instruments', 'Instruments'],
        ['disputes', 'Disputes'],
        ['webhooks', 'Webhooks'],
        ['errors', 'Errors'],
        ['sandbox', 'The sandbox'],
        ['limits-and-versions', 'Limits and versions'],
        ['management', 'Management'],
      ].map(([name, nav]) => ({ source: `docs/contract/${name}.md`, url: `/docs/contract/${name}`, nav })),
    ],
  },
  {
    title: 'Look up',
    pages: [
      { source: 'docs/specification.md', url: '/docs/specification', nav: 'Specification' },
      { source: 'CHANGELOG.md', url: '/docs/changelog', nav: 'Changelog' },
    ],
  },
];

/** @type {readonly Page[]} */
const FOR_CONTRIBUTORS = [
  { source: 'CONTRIBUTING.md', url: '/docs/contributing', crumb: '/docs/architecture' },
  { source: 'docs/adding-an-operation.md', url: '/docs/adding-an-operation', crumb: '/docs/architecture' },
  { source: 'docs/adding-a-processor.md', url: '/docs/adding-a-processor', crumb: '/docs/architecture' },
  { source: 'docs/adding-a-read-model.md', url: '/docs/adding-a-read-model', crumb: '/docs/architecture' },
];

/**
 * Every page, those of single decisions among them.
 * @param {string} root the repository
 * @returns {readonly Page[]}
 */
export function allPages(root) {
  const decisions = readdirSync(join(root, 'docs/adr')).filter((file) => /^\d{4}-.*\.md$/.test(file));
  return [
    ...GROUPS.flatMap(({ pages }) => pages),
    ...FOR_CONTRIBUTORS,
    ...decisions.toSorted().map((file) => ({
      source: `docs/adr/${file}`,
      url: `/docs/decisions/${file.replace(/\.md$/, '')}`,
      crumb: '/docs/decisions',
    })),
  ];
}
