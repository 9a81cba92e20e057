import type { Environment } from '@model-gateway/service-kit';
import { type CatalogDocument, shortUsd } from '@model-gateway/shared';
import { isUsable } from './catalog/is-usable.ts';
import { OWN_ACCOUNT } from './gateway/accounts.ts';
import type { FirstChat } from './gateway/first-chat.ts';
import type { OwnBalance } from './gateway/own-balance.ts';
import type { SignIn } from './gateway/sign-in.ts';
import type { StackFacts } from './start-stack.ts';

export interface BannerFacts extends StackFacts {
  dataDir: string;
  /** The value with which gatewayctl's `--data-dir` finds this gateway; undefined when the default does. */
  dataDirFlag: string | undefined;
  /** Default ports that are taken, so that others are used. */
  takenPorts: readonly number[];
}

/** Returns everything that a newcomer needs next, as plain lines. */
export function banner(facts: BannerFacts): string {
  const { baseUrl, apiKey, balance, dataDir, firstChat } = facts;
  const container = containerOf(facts.environment);
  const gatewayctl =
    gatewayctlOf(facts.environment) +
    (facts.dataDirFlag === undefined ? '' : ` --data-dir ${shellWord(facts.dataDirFlag)}`);
  const lines = [
    '',
    'Model Gateway is running.',
    ...facts.takenPorts.map((port) => `(Port ${port} is taken, so the next free one is used.)`),
    '',
    `  Base URL   ${baseUrl}`,
    `  API key    ${apiKey}`,
    `  Models     ${baseUrl}/models`,
    `  Balance    ${balanceText(balance)} (${gatewayctl} usage --account ${OWN_ACCOUNT.email})`,
    '',
    `  Dashboard  ${facts.dashboardUrl}`,
    ...signInLines(facts, gatewayctl),
    ...(facts.isOperator ? [`  Operate    ${facts.dashboardUrl}/operate`] : []),
    // Only the API and the dashboard are reachable from outside of a container.
    ...(container === undefined ? [`  Admin API  ${facts.adminUrl}/admin/docs`] : []),
    '',
    ...chatLines(baseUrl, apiKey, firstChat),
    ...providerLines(facts, gatewayctl),
    `Embedded: ${facts.embeddedPostgres ? 'Postgres, ' : ''}the simulated provider, ` +
      `and your account. Everything is kept in ${dataDir}:`,
    '  dev.json has the values above, logs/ the output of the services.',
    `Manage it: ${gatewayctl} status`,
    `           ${gatewayctl} keys create --account ${OWN_ACCOUNT.email} --name "my app"`,
    `Stop it: ${container === undefined ? 'Ctrl-C' : `docker stop ${container}`}`,
    '',
  ];
  return lines.join('\n');
}

/** Returns Docker's name of the container that this runs in; undefined: it does not run in our image. */
function containerOf({ MODEL_GATEWAY_CONTAINER, HOSTNAME }: Environment): string | undefined {
  return MODEL_GATEWAY_CONTAINER === undefined ? undefined : (HOSTNAME ?? 'CONTAINER');
}

function gatewayctlOf(environment: Environment): string {
  const container = containerOf(environment);
  if (container !== undefined) return `docker exec ${container} gatewayctl`;
  const isInstalled = environment.MODEL_GATEWAY_FOLDER !== undefined;
  return isInstalled ? 'gatewayctl' : 'npm run --silent gatewayctl --';
}

/** Quotes a word for the shell if necessary. */
function shellWord(word: string): string {
  return /^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function signInLines({ signIn, demoSignIn }: BannerFacts, gatewayctl: string): string[] {
  if (signIn === undefined)
    return [
      `  Sign-in    with the button of your identity provider: passwords are switched off (SSO_ONLY=true).`,
      `             The account of this key, ${OWN_ACCOUNT.email}, opens only for that address at the provider.`,
    ];
  const own = `  Sign-in    ${signInLine(signIn, gatewayctl)}`;
  return demoSignIn === undefined ? [own] : [own, demoLine(signIn, demoSignIn, gatewayctl)];
}

function demoLine(own: SignIn, demo: SignIn, gatewayctl: string): string {
  return (
    `             A month of made-up usage to look at: sign in as ${demo.email}, ` +
    `${demoPassword(own, demo, gatewayctl)} (remove it: ${gatewayctl} demo remove)`
  );
}

function demoPassword(own: SignIn, demo: SignIn, gatewayctl: string): string {
  if (demo.changed) {
    return `whose password was changed: set one with ${gatewayctl} accounts reset-password ${demo.email}`;
  }
  return own.changed ? `password ${demo.password}` : 'the same password';
}

function signInLine({ email, password, changed }: SignIn, gatewayctl: string): string {
  return changed
    ? `${email}, with the password that you have set (forgotten? ${gatewayctl} accounts reset-password ` +
        `${email} --no-revoke-keys)`
    : `${email}   password ${password}`;
}

function chatLines(baseUrl: string, apiKey: string, chat: FirstChat | undefined): string[] {
  if (chat === undefined)
    return ['The catalog has no chat model, so there is nothing to try with curl yet.', ''];
  const body = JSON.stringify({ model: chat.model, messages: [{ role: 'user', content: 'Say hello.' }] });
  const curl =
    `curl ${baseUrl}/chat/completions -H "Authorization: Bearer ${apiKey}" -H "Content-Type: ` +
    `application/json" -d '${body}'`;
  const result =
    chat.failure === undefined
      ? `Try it (the same call was just answered in ${Math.round(chat.durationMs)} ms):`
      : `The gateway works, but a call to ${chat.model} failed: ${chat.failure}`;
  return [result, '', curl, ''];
}

function providerLines(
  { catalog, environment, providerNotes, simulatedBaseUrl }: BannerFacts,
  gatewayctl: string,
): string[] {
  const simulated = catalog.providers.filter(({ base_url }) => base_url === simulatedBaseUrl);
  const real = catalog.providers.filter((provider) => !simulated.includes(provider));
  const lines: string[] = [];
  const names = simulatedNames(catalog, simulated).join(', ');
  if (names !== '') {
    lines.push(`Models named ${names} are SIMULATED: made-up answers from this machine, no AI behind them.`);
  }
  const usable = real.filter((provider) => isUsable(provider, environment));
  if (usable.length > 0) lines.push(`Real providers: ${usable.map(({ name }) => name).join(', ')}.`);
  if (real.length === 0)
    lines.push(
      containerOf(environment) === undefined
        ? 'A real provider is one step away: stop this, export OPENAI_API_KEY=sk-… or ' +
            'ANTHROPIC_API_KEY=sk-ant-…, and npm start again.'
        : 'A real provider is one step away: remove this container, and run it again with ' +
            '-e OPENAI_API_KEY=sk-… or -e ANTHROPIC_API_KEY=sk-ant-…; the volume keeps the rest.',
      `Or store a key while this runs, which says what to do next: ${gatewayctl} credentials set OPENAI_API_KEY`,
    );
  return [...lines, ...providerNotes, ''];
}

function simulatedNames({ models }: CatalogDocument, simulated: CatalogDocument['providers']): string[] {
  const ids = new Set(simulated.map(({ id }) => id));
  const served = models.filter(({ upstreams }) => upstreams.some(({ provider }) => ids.has(provider)));
  return [...new Set(served.map(({ id }) => `${id.split('/')[0]}/…`))];
}

/** Describes the balance. Reserved money is not spent, so it is part of what is left. */
function balanceText({ left, reserved }: OwnBalance): string {
  if (left === null) return 'unlimited: paid models are counted, not refused';
  const text = `${shortUsd(left)} USD left for paid models`;
  return reserved === 0n ? text : `${text}, ${shortUsd(reserved)} of it reserved for requests right now`;
}
