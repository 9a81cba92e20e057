import type { Environment } from '@model-gateway/service-kit';

/** The program's surroundings, besides files and the control plane. */
export interface Io {
  environment: Environment;
  /** The default data directory of `npm start`. */
  defaultDataDir: string;
  writeOut(chunk: string): void;
  writeError(chunk: string): void;
  /** True if a person reads standard error. */
  errorIsTerminal: boolean;
  readStdin(): Promise<string>;
}
