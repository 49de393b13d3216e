// The left navigation: its groups, and the pages in them. The frame shows the pages that the user's role may open.
import {
  ActivityLogIcon,
  AvatarIcon,
  BackpackIcon,
  BarChartIcon,
  CardStackIcon,
  CheckCircledIcon,
  CodeIcon,
  CubeIcon,
  ExclamationTriangleIcon,
  IdCardIcon,
  LightningBoltIcon,
  Link2Icon,
  LoopIcon,
  MixerHorizontalIcon,
  PaperPlaneIcon,
  PersonIcon,
  Share1Icon,
  ShuffleIcon,
} from '@radix-ui/react-icons';
import type { ComponentType } from 'react';
import type { Role } from './session.tsx';

export interface NavigationEntry {
  readonly label: string;
  /** The route's path, without /dashboard. */
  readonly to: string;
  readonly icon: ComponentType<{ readonly 'aria-hidden'?: boolean }>;
  /** The roles that may open the page; all roles if absent. */
  readonly roles?: readonly Role[];
  /** The key after `g` that opens it. */
  readonly key: string;
}

interface NavigationGroup {
  /** '' for the first, which needs no heading. */
  readonly label: string;
  readonly entries: readonly NavigationEntry[];
}

export const NAVIGATION: readonly NavigationGroup[] = [
  {
    label: '',
    entries: [
      { label: 'Overview', to: '/', icon: BarChartIcon, key: 'o' },
      { label: 'Payments', to: '/payments', icon: CardStackIcon, key: 'p' },
      { label: 'Customers', to: '/customers', icon: AvatarIcon, key: 'm' },
      { label: 'Agreements', to: '/agreements', icon: LoopIcon, key: 'a' },
      { label: 'Disputes', to: '/disputes', icon: ExclamationTriangleIcon, key: 'd' },
      { label: 'Payment links', to: '/payment-links', icon: Share1Icon, key: 'l' },
      { label: 'Client sessions', to: '/client-sessions', icon: BackpackIcon, key: 's' },
      { label: 'Instruments', to: '/instruments', icon: IdCardIcon, key: 'i' },
    ],
  },
  {
    label: 'Developers',
    entries: [
      { label: 'API keys', to: '/developers/keys', icon: CodeIcon, roles: ['owner', 'developer'], key: 'k' },
      { label: 'Webhooks', to: '/developers/webhooks', icon: PaperPlaneIcon, roles: ['owner', 'developer'], key: 'w' },
      {
        label: 'Processor accounts',
        to: '/developers/connections',
        icon: Link2Icon,
        roles: ['owner', 'developer'],
        key: 'c',
      },
      {
        label: 'Routing',
        to: '/developers/routing',
        icon: ShuffleIcon,
        roles: ['owner', 'developer'],
        key: 't',
      },
      {
        label: 'Request log',
        to: '/developers/requests',
        icon: ActivityLogIcon,
        roles: ['owner', 'developer'],
        key: 'r',
      },
      {
        label: 'Events',
        to: '/developers/events',
        icon: LightningBoltIcon,
        roles: ['owner', 'developer', 'auditor'],
        key: 'e',
      },
      { label: 'Sandbox', to: '/developers/sandbox', icon: CubeIcon, roles: ['owner', 'developer'], key: 'b' },
    ],
  },
  {
    label: 'Service',
    entries: [
      { label: 'Operations', to: '/operations', icon: MixerHorizontalIcon, roles: ['owner', 'developer'], key: 'x' },
      { label: 'Proof', to: '/proof', icon: CheckCircledIcon, roles: ['owner', 'developer', 'auditor'], key: 'v' },
      { label: 'Users', to: '/users', icon: PersonIcon, roles: ['owner'], key: 'u' },
    ],
  },
];
