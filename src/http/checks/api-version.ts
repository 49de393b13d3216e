// X-Api-Version: 1.0 is the only version, and an absent header means it (contract §1).
import { refuse } from '../errors.ts';

export const API_VERSION = '1.0';

export const WRONG_API_VERSION = refuse('UnsupportedApiVersion', `X-Api-Version must be ${API_VERSION} or absent.`);
