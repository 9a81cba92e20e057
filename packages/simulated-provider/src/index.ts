export type { Fault } from './faults/fault-schema.ts';
export {
  awsMessage as simulatedAwsMessage,
  simulatedAwsSecret,
  simulatedAwsSession,
} from './protocols/bedrock.ts';
export {
  type SimulatedProvider,
  type SimulatedProviderOptions,
  startSimulatedProvider,
} from './start-simulated-provider.ts';
