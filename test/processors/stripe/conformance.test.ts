// Stripe as any processor: the adapter against the twin, with two accounts.
import { processorConformance } from '../../contract/processor.suite.ts';
import { stripeOnTrial, TRAITS } from './on-trial.ts';

processorConformance('Stripe', TRAITS, stripeOnTrial());
