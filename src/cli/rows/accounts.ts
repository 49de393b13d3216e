// counterfoil accounts
import { ACCOUNT, command, flag, needed } from '../command.ts';

/** `none`: no page at all. */
const parseOrigins = (text: string): readonly string[] =>
  text === 'none' ? [] : text.split(',').map((origin) => origin.trim());

export const accounts = {
  create: command({
    usage: 'create',
    summary: 'Create an account',
    examples: ['accounts create --name "Corner shop"'],
    rules: [
      'Users of an account with --operator, and of the first account of a store, may change what concerns the whole store: its clock, and rebuilds.',
    ],
    options: {
      name: needed('<name>', 'its name, 1 to 255 characters'),
      operator: flag(
        'allow its users to change settings of the whole store, such as its clock; the first account always may',
      ),
    },
    opens: 'service',
  }),
  list: command({
    usage: 'list',
    summary: 'The accounts',
    examples: ['accounts list'],
    opens: 'service',
  }),
  rename: command({
    usage: 'rename <id> <name>',
    summary: "Rename an account: its users and its customers' banks show the new name, 1 to 255 characters",
    examples: ['accounts rename acc_0123 "Corner shop"'],
    opens: 'service',
  }),
  setOrigins: command({
    usage: 'set-origins',
    summary:
      "Set the origins whose pages may frame an account's checkout in live mode, effective from the next page load",
    examples: ['accounts set-origins --origins https://shop.example,https://www.shop.example'],
    rules: [
      'Names all origins whose pages may frame the checkout in live mode: https, or http on the own machine, without a path.',
    ],
    options: {
      origins: needed('<a,b|none>', 'the complete list, which replaces the previous one', parseOrigins),
      account: ACCOUNT,
    },
    opens: 'service',
  }),
};
