// The vaulted instruments of each customer, by the HMAC that names the wallet's stream.
import { type CustomerWallet, customerWallet } from '../../domain/customer-wallet.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export const customerWallets: StreamProjection<CustomerWallet, never> = projection(foldOf(customerWallet), {
  name: 'customer-wallets',
  version: 2,
  keys: {},
  indexes: [],
});
