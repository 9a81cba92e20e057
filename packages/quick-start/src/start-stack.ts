import { ControlPlaneClient } from '@model-gateway/contracts';
import type { Environment } from '@model-gateway/service-kit';
import type { CatalogDocument } from '@model-gateway/shared';
import { prepareCatalog, readCatalogFile } from './catalog/prepare-catalog.ts';
import { providerNotes } from './catalog/provider-notes.ts';
import { readDevelopmentFile, writeDevelopmentFile } from './data-dir/development-file.ts';
import { loadSecrets } from './data-dir/secrets.ts';
import { openDatabase } from './database.ts';
import { addDemoUsage } from './demo-usage/add-demo-usage.ts';
import { createDemoAccount, DEMO_EMAIL } from './gateway/demo-account.ts';
import { type DemoCredit, demoCredit } from './gateway/demo-credit.ts';
import { demoKey } from './gateway/demo-key.ts';
import { type DemoSignIn, demoSignIn } from './gateway/demo-sign-in.ts';
import { chooseChatModel, type FirstChat, firstChat } from './gateway/first-chat.ts';
import type { StartOptions } from './options.ts';
import { choosePort, HOST } from './processes/choose-port.ts';
import { KeptProcesses, type StartedService } from './processes/kept-processes.ts';
import { stopLeftovers } from './processes/leftovers.ts';
import { ServiceDefinitions } from './processes/service-definitions.ts';
import type { ServiceDefinition, ServiceProcess } from './processes/service-process.ts';
import type { QuickStartError } from './quick-start-error.ts';

export interface RunningStack extends AsyncDisposable {
  /** The base URL, with /v1. */
  baseUrl: string;
  apiKey: string;
  dashboardUrl: string;
  signIn: DemoSignIn;
  /** The credit of the demo account for paid models. */
  credit: DemoCredit;
  catalog: CatalogDocument;
  simulatedBaseUrl: string;
  /** Notes for the banner: why models cannot be served, and which providers could be added. */
  providerNotes: readonly string[];
  /** Undefined when the catalog has no chat model. */
  firstChat: FirstChat | undefined;
  /** False when DATABASE_URL says where the database is. */
  embeddedPostgres: boolean;
  /** Resolves with the reason when a process has crashed too often to be started again. */
  lost: Promise<QuickStartError>;
}

/**
 * Starts everything in an order in which each part finds what it needs, and proves it with a chat completion.
 * When anything fails or the signal is aborted, everything that was started is stopped again. A process that
 * crashes later is started again.
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
  const reserved = new Set<number>();
  // Both ports are reserved now for services that start last. When a port cannot be used, the user hears that
  // before anything starts.
  const port = await choosePort(options.gatewayPort, reserved);
  const dashboardPort = await choosePort(options.dashboardPort, reserved);
  const secrets = loadSecrets(dataDir, environment);
  const definitions = new ServiceDefinitions(environment, secrets);
  const last = readDevelopmentFile(dataDir);

  await using stack = new AsyncDisposableStack();
  const database = await openDatabase(dataDir, environment.DATABASE_URL);
  const processes = stack.use(new KeptProcesses({ dataDir, signal, report }));
  if (database.embedded !== undefined) processes.keepDatabase(database.embedded);
  const services: StartedService[] = [];
  const start = async (definition: ServiceDefinition): Promise<StartedService> => {
    const service = await processes.start(definition, reserved);
    services.push(service);
    return service;
  };

  const controlPlane = await start(definitions.controlPlane(database.url));
  const controlPlaneAddress = addressOf(controlPlane);
  const starting = [
    start(definitions.catalog({ controlPlane: controlPlaneAddress })),
    start(definitions.simulatedProvider()),
  ] as const;
  // This also waits when one of them fails, because the other must have started before it can be stopped.
  await Promise.allSettled(starting);
  const [catalogService, simulatedProvider] = await Promise.all(starting);
  await controlPlane.ready();
  const simulatedBaseUrl = `http://${addressOf(simulatedProvider)}/v1`;
  using client = disposable(
    new ControlPlaneClient({ addresses: [controlPlaneAddress], token: secrets.ADMIN_TOKEN, tls: {} }),
  );
  // This comes before the data plane, so that it is ready with these models.
  const catalog = await prepareCatalog({
    client: client.value,
    dataDir,
    file: catalogFile,
    environment,
    simulatedBaseUrl,
  });
  const addresses = {
    controlPlane: controlPlaneAddress,
    catalogUrl: `http://${addressOf(catalogService)}`,
  };
  reserved.delete(port);
  const dataPlane = await start(definitions.dataPlane({ ...options.gatewayPort, port }, addresses));
  const gatewayUrl = `http://${addressOf(dataPlane)}`;
  reserved.delete(dashboardPort);
  const dashboard = await start(
    definitions.dashboard({ ...options.dashboardPort, port: dashboardPort }, database.url, {
      ...addresses,
      gatewayUrl,
    }),
  );
  await Promise.all(services.map((service) => service.ready()));

  const baseUrl = `${gatewayUrl}/v1`;
  const dashboardUrl = `http://${addressOf(dashboard)}`;
  const isNewAccount = await createDemoAccount(client.value);
  const apiKey = await demoKey(client.value, baseUrl, last?.api_key, signal);
  const credit = await demoCredit(client.value);
  const pepper = secrets.API_KEY_LOOKUP_PEPPER;
  await addDemoUsage({ client: client.value, databaseUrl: database.url, pepper }, DEMO_EMAIL);
  // A new account is in another database than that of the last start, so the last password is not its own.
  const lastPassword = isNewAccount ? undefined : last?.dashboard_password;
  const signIn = await demoSignIn(client.value, dashboardUrl, lastPassword, signal);
  const model = chooseChatModel(catalog, simulatedBaseUrl, environment);
  const chat = model && (await firstChat(baseUrl, apiKey, model.id, signal));
  signal.throwIfAborted();
  const facts = {
    base_url: baseUrl,
    api_key: apiKey,
    dashboard_url: dashboardUrl,
    dashboard_email: signIn.email,
    dashboard_password: signIn.password,
    control_plane_address: controlPlaneAddress,
    admin_token: secrets.ADMIN_TOKEN,
    internal_urls: Object.fromEntries(
      services.flatMap(({ name, ports }) =>
        ports.INTERNAL_PORT === undefined
          ? []
          : [[name.replaceAll('-', '_'), `http://${HOST}:${ports.INTERNAL_PORT}`]],
      ),
    ),
  };
  processes.follow((pids) => writeDevelopmentFile(dataDir, { ...facts, pids }));
  const running = stack.move();
  return {
    baseUrl,
    apiKey,
    dashboardUrl,
    signIn,
    credit,
    catalog,
    simulatedBaseUrl,
    providerNotes: providerNotes(catalog, environment),
    firstChat: chat,
    embeddedPostgres: database.embedded !== undefined,
    lost: processes.lost,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function addressOf({ ports }: ServiceProcess): string {
  return `${HOST}:${ports.PORT}`;
}

function disposable<Value extends { close(): void }>(value: Value): { value: Value } & Disposable {
  return { value, [Symbol.dispose]: () => value.close() };
}
