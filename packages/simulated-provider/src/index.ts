export type { Fault } from './faults/fault-schema.ts';
export type { ExchangeEnd, RecordedRequest, RequestPredicate } from './request-log.ts';
export {
  type SimulatedProvider,
  type SimulatedProviderOptions,
  startSimulatedProvider,
} from './start-simulated-provider.ts';
