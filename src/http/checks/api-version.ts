// X-Api-Version: 1.0 is the only version, and an absent header means it (contract §1).
import { type Refusal, refuse } from '../errors.ts';

export const API_VERSION = '1.0';

export const checkApiVersion = (header: string | string[] | undefined): Refusal | undefined =>
  header === undefined || header === API_VERSION
    ? undefined
    : refuse('UnsupportedApiVersion', `X-Api-Version must be ${API_VERSION} or absent.`);
