import { ControlPlaneClient } from '@model-gateway/contracts';
import type { Environment } from '@model-gateway/service-kit';
import type { CatalogDocument } from '@model-gateway/shared';
import { bundledCatalogs } from './catalog/bundled-catalogs.ts';
import { leavesCatalog, offerCatalogs, prepareCatalog, readCatalogFile } from './catalog/prepare-catalog.ts';
import { priceNotes } from './catalog/price-notes.ts';
import { providerNotes } from './catalog/provider-notes.ts';
import { readDevelopmentFile, writeDevelopmentFile } from './data-dir/development-file.ts';
import { loadSecrets, type Secrets } from './data-dir/secrets.ts';
import { openDatabase } from './database.ts';
import { addDemoAccount } from './demo-usage/add-demo-account.ts';
import {
  accountExists,
  createAccount,
  DEMO_ACCOUNT,
  grantOwnRole,
  hasOwnRole,
  type LocalAccount,
  OWN_ACCOUNT,
} from './gateway/accounts.ts';
import { chooseChatModel, type FirstChat, firstChat } from './gateway/first-chat.ts';
import { type OwnBalance, ownBalance } from './gateway/own-balance.ts';
import { ownKey } from './gateway/own-key.ts';
import { isSsoOnly, newPassword, type SignIn, signInOf } from './gateway/sign-in.ts';
import type { StartOptions } from './options.ts';
import { HOST, withFreePorts } from './processes/choose-port.ts';
import { stopLeftovers } from './processes/leftovers.ts';
import { defineProcesses, type ProcessDefinitions } from './processes/process-definitions.ts';
import { RestartedProcesses } from './processes/restarted-processes.ts';
import { chooseStackPorts } from './processes/stack-ports.ts';
import type { QuickStartError } from './quick-start-error.ts';

/** The facts about a started stack that `npm start` prints. */
export interface StackFacts {
  /** The base URL, with /v1. */
  baseUrl: string;
  apiKey: string;
  dashboardUrl: string;
  /** URL of the management API. */
  adminUrl: string;
  /** Undefined: the dashboard takes no passwords. */
  signIn: SignIn | undefined;
  /** The sign-in of the account with made-up usage; undefined: no such account, or no passwords. */
  demoSignIn: SignIn | undefined;
  /** True if the user's account is an operator of the installation, which has the console. */
  isOperator: boolean;
  /** The balance of the user's account for paid models. */
  balance: OwnBalance;
  catalog: CatalogDocument;
  /** The environment of the services, with a placeholder for each stored credential. */
  environment: Environment;
  simulatedBaseUrl: string;
  /** Notes why models cannot be served, and which providers could be added. */
  providerNotes: readonly string[];
  /** Undefined when the catalog has no chat model. */
  firstChat: FirstChat | undefined;
  /** False when DATABASE_URL is set. */
  embeddedPostgres: boolean;
}

export interface RunningStack extends StackFacts, AsyncDisposable {
  /** Resolves with the reason when a process has crashed too often to be started again. */
  lost: Promise<QuickStartError>;
}

/**
 * Starts all parts at the same time, each as soon as the parts that it needs run, and checks the result with
 * a chat completion. When anything fails or the signal is aborted, everything that was started is stopped
 * again. A process that crashes later is started again.
 * @param report writes a line for the person who typed `npm start`
 * @throws QuickStartError
 */
export async function startStack(
  options: StartOptions,
  environment: Environment,
  signal: AbortSignal,
  report: (line: string) => void,
): Promise<RunningStack> {
  const { dataDir } = options;
  const catalogFile = options.catalogFile === undefined ? undefined : readCatalogFile(options.catalogFile);
  await stopLeftovers(dataDir);
  const secrets = loadSecrets(dataDir, environment);
  // Once: a start that is repeated with other ports has applied them already.
  const offers = offerCatalogs({ dataDir, environment, file: catalogFile });
  return await withFreePorts(async (reserved) => {
    const ports = await chooseStackPorts(options, reserved);
    const definitions = defineProcesses(environment, secrets, ports);
    const start = { dataDir, catalogFile, environment, secrets, definitions, offers, signal, report };
    return await startServices(start);
  });
}

interface Start {
  dataDir: string;
  /** The file of `--catalog`. */
  catalogFile: CatalogDocument | undefined;
  environment: Environment;
  secrets: Secrets;
  definitions: ProcessDefinitions;
  offers: ReturnType<typeof offerCatalogs>;
  signal: AbortSignal;
  report: (line: string) => void;
}

async function startServices(start: Start): Promise<RunningStack> {
  const { dataDir, catalogFile, environment, secrets, definitions, signal, report } = start;
  const { adminUrl, controlPlaneAddress, dashboardUrl, gatewayUrl, simulatedBaseUrl } = definitions;
  const last = readDevelopmentFile(dataDir);
  await using stack = new AsyncDisposableStack();
  const processes = stack.use(new RestartedProcesses({ dataDir, signal, report }));
  const started: Promise<unknown>[] = [];
  // When one part fails, the others must have started before they can be stopped.
  stack.defer(async () => void (await Promise.allSettled(started)));
  const begin = <Part>(part: Promise<Part>): Promise<Part> => {
    started.push(part);
    return part;
  };
  const client = new ControlPlaneClient({
    addresses: [controlPlaneAddress],
    token: secrets.ADMIN_TOKEN,
    tls: {},
    // Another program may have taken the port since it was chosen.
    proof: {},
  });
  using _connected = { [Symbol.dispose]: () => client.close() };

  const database = begin(openDatabase(dataDir, environment.DATABASE_URL));
  const databaseUrl = begin(
    database.then(({ url, embedded }) => {
      if (embedded !== undefined) processes.addDatabase(embedded);
      return url;
    }),
  );
  const controlPlane = begin(processes.start(databaseUrl.then((url) => definitions.controlPlane(url))));
  const preparation = { dataDir, file: catalogFile, environment, simulatedBaseUrl };
  const isCatalogUnchanged = leavesCatalog(preparation);
  const offers = begin(start.offers);
  const prepared = begin(
    controlPlane.then(async ({ ready }) => {
      await ready();
      return await prepareCatalog({ ...preparation, client }, await offers);
    }),
  );
  const services = [
    controlPlane,
    begin(processes.start(definitions.catalog())),
    begin(processes.start(definitions.simulatedProvider())),
    // The data plane must get ready with the catalog of this start.
    begin(
      processes.start(
        (isCatalogUnchanged ? Promise.resolve() : prepared).then(() => definitions.dataPlane()),
      ),
    ),
    begin(processes.start(databaseUrl.then((url) => definitions.dashboard(url)))),
  ];
  const account = begin(
    prepared.then(async () => {
      const isNew = !(await accountExists(client, OWN_ACCOUNT));
      const pepper = secrets.API_KEY_LOOKUP_PEPPER;
      const demo = { client, databaseUrl: await databaseUrl, pepper, simulatedBaseUrl };
      // Only at the first start: a user who has removed the demo account or the role does not want it again.
      if (isNew) {
        await addDemoAccount(demo);
        await grantOwnRole(client);
      }
      // The last step, so that the next start repeats all of it if this one is interrupted.
      await createAccount(client, OWN_ACCOUNT);
      const [balance, hasDemo, isOperator] = await Promise.all([
        ownBalance(client),
        accountExists(client, DEMO_ACCOUNT),
        hasOwnRole(client),
      ]);
      return { isNew, balance, hasDemo, isOperator };
    }),
  );
  await Promise.all(started);
  const running = await Promise.all(services);
  await Promise.all(running.map((service) => service.ready()));

  const baseUrl = `${gatewayUrl}/v1`;
  const { isNew, hasDemo, balance, isOperator } = await account;
  // A new account is in another database than that of the last start, so the last password is not its own.
  const lastPassword = isNew ? undefined : last?.dashboard_password;
  const password = lastPassword ?? newPassword();
  const signInWith = ({ email }: LocalAccount) =>
    signInOf({ email, password }, lastPassword === undefined, client, dashboardUrl, signal);
  const { catalog, notes, environment: known } = await prepared;
  const bundles = bundledCatalogs(known);
  const model = chooseChatModel(catalog, simulatedBaseUrl, known);
  const ssoOnly = await isSsoOnly(dashboardUrl, signal);
  const [signIn, demoSignIn, { apiKey, chat }] = await Promise.all([
    ssoOnly ? undefined : signInWith(OWN_ACCOUNT),
    ssoOnly || !hasDemo ? undefined : signInWith(DEMO_ACCOUNT),
    ownKey(client, baseUrl, isNew ? undefined : last?.api_key, signal).then(async (apiKey) => ({
      apiKey,
      chat: model && (await firstChat(baseUrl, apiKey, model.id, signal)),
    })),
  ]);
  signal.throwIfAborted();
  const facts = {
    base_url: baseUrl,
    api_key: apiKey,
    dashboard_url: dashboardUrl,
    dashboard_email: OWN_ACCOUNT.email,
    // Kept while there are no passwords: they may be switched on again.
    dashboard_password: signIn?.password ?? lastPassword,
    admin_url: adminUrl,
    control_plane_address: controlPlaneAddress,
    admin_token: secrets.ADMIN_TOKEN,
    internal_urls: Object.fromEntries(
      running.flatMap(({ name, ports }) =>
        ports.INTERNAL_PORT === undefined
          ? []
          : [[name.replaceAll('-', '_'), `http://${HOST}:${ports.INTERNAL_PORT}`]],
      ),
    ),
  };
  processes.follow((pids) => writeDevelopmentFile(dataDir, { ...facts, pids }));
  const open = stack.move();
  return {
    baseUrl,
    apiKey,
    dashboardUrl,
    adminUrl,
    signIn,
    demoSignIn,
    isOperator,
    balance,
    catalog,
    environment: known,
    simulatedBaseUrl,
    providerNotes: [
      ...notes,
      ...providerNotes(catalog, known, bundles),
      ...priceNotes(catalog, bundles, Date.now()),
    ],
    firstChat: chat,
    embeddedPostgres: (await database).embedded !== undefined,
    lost: processes.lost,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
