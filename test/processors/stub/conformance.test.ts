// The stub of the tests as any processor, in one step and in two: against an acquirer on a real port.
import { processorConformance } from '../../contract/processor.suite.ts';
import { ONE_STEP, stubOnTrial, TWO_STEPS } from './harness.ts';
import { openStub } from './stub.ts';
import { openTwoStepStub } from './two-step.ts';

processorConformance('the stub', ONE_STEP, stubOnTrial(openStub));
processorConformance('the stub in two steps', TWO_STEPS, stubOnTrial(openTwoStepStub));
