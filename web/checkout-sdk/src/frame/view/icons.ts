// Pictures of our own drawing: a sign for each card network, and the few symbols of the frame.
import { NETWORK_NAMES, type Network } from '../card/networks.ts';
import { type MethodName, methodOf } from '../methods.ts';
import { s } from './dom.ts';

const CARD = { viewBox: '0 0 34 22', class: 'network', 'aria-hidden': 'true', focusable: 'false' } as const;
const ground = (fill: string): SVGElement =>
  s('rect', { x: '.5', y: '.5', width: '33', height: '21', rx: '3.5', fill, class: 'network-ground' });
const word = (text: string, attributes: Readonly<Record<string, string>>): SVGElement =>
  s(
    'text',
    {
      x: '17',
      y: '14.6',
      'text-anchor': 'middle',
      'font-family': 'Arial, Helvetica, sans-serif',
      'font-weight': '700',
      ...attributes,
    },
    text,
  );

/** Undefined: the network is not known yet. */
export function networkIcon(network: Network | undefined): SVGElement {
  const icon = s('svg', CARD, ...drawingOf(network));
  if (network !== undefined) icon.setAttribute('data-network', network);
  return icon;
}

function drawingOf(network: Network | undefined): readonly SVGElement[] {
  switch (network) {
    case 'VISA':
      return [
        ground('#ffffff'),
        word('VISA', { 'font-size': '10', 'font-style': 'italic', fill: '#1a1f71', 'letter-spacing': '.2' }),
      ];
    case 'MASTERCARD':
      return [
        ground('#ffffff'),
        s('circle', { cx: '13.6', cy: '11', r: '6', fill: '#eb001b' }),
        s('circle', { cx: '20.4', cy: '11', r: '6', fill: '#f79e1b' }),
        s('path', { d: 'M17 6.06a6 6 0 0 1 0 9.88a6 6 0 0 1 0-9.88z', fill: '#ff5f00' }),
      ];
    case 'AMEX':
      return [
        ground('#1f72cd'),
        word('AMEX', { 'font-size': '8.4', fill: '#ffffff', y: '14', 'letter-spacing': '.3' }),
      ];
    case 'DISCOVER':
      return [
        ground('#ffffff'),
        s('path', { d: 'M33.5 12.5v5.5a3.5 3.5 0 0 1-3.5 3.5H12C21 20.5 29 17.5 33.5 12.500z', fill: '#f47216' }),
        word('DISCOVER', { 'font-size': '5.3', fill: '#231f20', y: '11' }),
      ];
    case 'OTHER':
    case undefined:
      return [
        s('rect', {
          x: '.75',
          y: '.75',
          width: '32.5',
          height: '20.5',
          rx: '3.5',
          fill: 'none',
          class: 'network-line',
        }),
        s('path', { d: 'M1 7h32', class: 'network-line' }),
        s('path', { d: 'M5 15.500h6', class: 'network-line' }),
      ];
    default:
      return network satisfies never;
  }
}

/** The sign of a method: its name in its colours, of our own drawing. */
export function methodIcon(method: MethodName): SVGElement {
  const { mark } = methodOf(method);
  if (mark === undefined) return networkIcon(undefined);
  const { text, ground: fill, ink, size, slant } = mark;
  const style = slant === true ? { 'font-style': 'italic' } : {};
  return s('svg', CARD, ground(fill), word(text, { 'font-size': size, fill: ink, ...style }));
}

/** The network as people call it. */
export const networkName = (network: Network, otherwise: string): string => NETWORK_NAMES[network] || otherwise;

const SYMBOL = {
  viewBox: '0 0 20 20',
  class: 'symbol',
  'aria-hidden': 'true',
  focusable: 'false',
  fill: 'none',
} as const;
const line = (d: string): SVGElement =>
  s('path', {
    d,
    stroke: 'currentColor',
    'stroke-width': '1.7',
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
  });

export const lockIcon = (): SVGElement =>
  s(
    'svg',
    SYMBOL,
    line('M6.5 9V6.500a3.5 3.5 0 0 1 7 0V9'),
    s('rect', { x: '4.5', y: '9', width: '11', height: '8', rx: '1.8', fill: 'currentColor' }),
  );
export const checkIcon = (): SVGElement => s('svg', SYMBOL, line('M4.5 10.500l3.7 3.7 7.3-8'));
export const clockIcon = (): SVGElement =>
  s(
    'svg',
    SYMBOL,
    s('circle', { cx: '10', cy: '10', r: '7', stroke: 'currentColor', 'stroke-width': '1.7' }),
    line('M10 6v4.300l2.6 1.6'),
  );
export const alertIcon = (): SVGElement =>
  s(
    'svg',
    SYMBOL,
    s('circle', { cx: '10', cy: '10', r: '7.5', stroke: 'currentColor', 'stroke-width': '1.7' }),
    line('M10 6.200v4.500M10 13.600v.1'),
  );
export const spinner = (): SVGElement =>
  s(
    'svg',
    { viewBox: '0 0 20 20', class: 'spinner', 'aria-hidden': 'true', focusable: 'false', fill: 'none' },
    s('circle', { cx: '10', cy: '10', r: '7.5', stroke: 'currentColor', 'stroke-width': '2', opacity: '.25' }),
    s('path', {
      d: 'M17.5 10A7.5 7.5 0 0 0 10 2.5',
      stroke: 'currentColor',
      'stroke-width': '2',
      'stroke-linecap': 'round',
    }),
  );
