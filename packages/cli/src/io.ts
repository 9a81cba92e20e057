import type { Environment } from '@model-gateway/service-kit';

/** The program's surroundings, besides files and the control plane. */
export interface Io {
  environment: Environment;
  /** Where `npm start` keeps its state unless told otherwise. */
  defaultDataDir: string;
  writeOut(chunk: string): void;
  writeError(chunk: string): void;
  /** True if a person reads standard error. */
  errorIsTerminal: boolean;
  readStdin(): Promise<string>;
}
