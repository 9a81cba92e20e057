export { keyIdOf as simulatedKeyId, type PricedRequest } from './billing/bill-ledger.ts';
export type { PriceTable } from './billing/price-table.ts';
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
export {
  ENTRA_CLIENT as SIMULATED_ENTRA_CLIENT,
  ENTRA_FEDERATED_TOKEN as SIMULATED_FEDERATED_TOKEN,
  ENTRA_SECRET as SIMULATED_ENTRA_SECRET,
  ENTRA_TENANT as SIMULATED_ENTRA_TENANT,
} from './tokens/entra.ts';
export { PROJECT as SIMULATED_PROJECT, simulatedServiceAccount } from './tokens/service-account.ts';
export { SUBJECT_TOKEN as SIMULATED_SUBJECT_TOKEN } from './tokens/token-routes.ts';
