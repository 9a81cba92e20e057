import type { Environment } from '@model-gateway/service-kit';

/** The program's surroundings, besides files and the control plane. */
export interface Io {
  environment: Environment;
  /** The default data directory of `npm start`. */
  defaultDataDir: string;
  writeOut(chunk: string): void;
  writeError(chunk: string): void;
  /** Folder of the bundled catalogs. */
  catalogDir: string;
  /** True if standard input is typed by a person. */
  inputIsTerminal: boolean;
  /** True if a person reads standard error. */
  errorIsTerminal: boolean;
  readStdin(): Promise<string>;
  /** Asks a person, and returns the line that they type. */
  readLine(question: string): Promise<string>;
  /** Returns the variables of `.env` in the working directory. */
  readEnvFile(): Environment;
}
