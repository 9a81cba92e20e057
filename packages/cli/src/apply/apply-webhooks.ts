import { isDeepStrictEqual } from 'node:util';
import type { WebhookMessage } from '@model-gateway/contracts';
import { CommandFailure } from '../command-failure.ts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS } from '../run-command.ts';
import { type ApplyRun, applyChange, applyDifferences, compareField } from './apply-run.ts';
import { createWithSecret } from './create-with-secret.ts';
import type { WantedWebhook } from './gateway-file.ts';

/** Owner of webhooks. */
export interface WebhookOwner {
  /** Such as `ada@example.com`, or `the installation`; also the beginning of names in the file of secrets. */
  name: string;
  /** Null: the installation. Undefined: a plan creates the account. */
  account: string | null | undefined;
}

export async function applyWebhooks(
  run: ApplyRun,
  owner: WebhookOwner,
  wanted: readonly WantedWebhook[] | undefined,
): Promise<void> {
  if (wanted === undefined) return;
  const nameOf = (url: string) => `webhook ${url} of ${owner.name}`;
  const webhooks = owner.account === undefined ? [] : await webhooksOf(run, owner.account);
  for (const one of wanted) {
    const names = { object: nameOf(one.url), secret: `${owner.name}/${one.url}` };
    const [existing, ...more] = webhooks.filter(({ url }) => url === one.url);
    if (more.length > 0) throw new CommandFailure([`${names.object}: there are several; remove all but one`]);
    if (existing === undefined) await createWebhook(run, owner, one, names);
    else await applyWebhook(run, existing, one, names);
  }
  if (!run.prunes) return;
  for (const { id, url } of webhooks.filter((each) => !wanted.some((one) => one.url === each.url))) {
    await applyChange(run, { action: 'remove', object: nameOf(url) }, () =>
      run.client.call(CALL_DEADLINE_MS, 'webhooks', 'removeWebhook', { id }),
    );
  }
}

interface Names {
  object: string;
  /** Name in the file of secrets. */
  secret: string;
}

async function createWebhook(
  run: ApplyRun,
  { account }: WebhookOwner,
  { enabled = true, ...wanted }: WantedWebhook,
  { object, secret: name }: Names,
): Promise<void> {
  const request = { ...definedOf(wanted), ...(typeof account === 'string' && { account }) };
  await applyChange(run, { action: 'create', object }, () =>
    createWithSecret(run, name, async () => {
      const { secret, webhook } = await run.client.callOnce(
        CALL_DEADLINE_MS,
        'webhooks',
        'createWebhook',
        request,
      );
      if (!enabled) {
        const change = { id: webhook?.id ?? '', enabled };
        await run.client.call(CALL_DEADLINE_MS, 'webhooks', 'changeWebhook', change);
      }
      return secret;
    }),
  );
}

async function applyWebhook(
  run: ApplyRun,
  webhook: WebhookMessage,
  wanted: WantedWebhook,
  { object, secret }: Names,
): Promise<void> {
  const { id } = webhook;
  if (run.secrets?.isPending(secret)) {
    const differences = [{ field: 'secret', from: 'lost by an interrupted run', to: 'a new one' }];
    const rotated = await applyChange(run, { action: 'change', object, differences }, () =>
      run.client.callOnce(CALL_DEADLINE_MS, 'webhooks', 'rotateWebhookSecret', { id }),
    );
    if (rotated !== undefined) await run.secrets.put(secret, rotated.secret);
  }
  const differences = [
    ...compareField('events', [...webhook.events].sort(), [...wanted.events].sort(), isDeepStrictEqual),
    ...compareField('format', webhook.format, wanted.format),
    ...compareField('description', webhook.description, wanted.description),
    ...compareField('enabled', webhook.status !== 'disabled', wanted.enabled),
  ];
  const { events, url: _, ...members } = wanted;
  await applyDifferences(run, object, differences, () =>
    run.client.call(CALL_DEADLINE_MS, 'webhooks', 'changeWebhook', {
      id,
      events: { types: events },
      ...definedOf(members),
    }),
  );
}

async function webhooksOf({ client }: ApplyRun, account: string | null): Promise<WebhookMessage[]> {
  const pages = readAllPages(
    (place) =>
      client.call(CALL_DEADLINE_MS, 'webhooks', 'listWebhooks', {
        ...(account !== null && { account }),
        ...place,
      }),
    ({ webhooks }) => webhooks,
  );
  const webhooks = (await Array.fromAsync(pages)).flat();
  // Without an account, the list has those of accounts as well.
  return account === null ? webhooks.filter(({ accountId }) => accountId === undefined) : webhooks;
}

/** Leaves out members that are undefined. */
function definedOf<Members extends object>(
  members: Members,
): { [Name in keyof Members]: Exclude<Members[Name], undefined> };
function definedOf(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
