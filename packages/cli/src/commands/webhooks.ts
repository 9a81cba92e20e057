import type { Command } from 'commander';
import { addOptionalAccount, onOptionalAccount } from '../account-argument.ts';
import {
  deliveryJson,
  deliveryTable,
  type WebhookJson,
  webhookJson,
  webhookTable,
} from '../output/webhook-json.ts';
import { parseTime } from '../parse-time.ts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';

const SHOWN_DELIVERIES = 20;

interface Members {
  url?: string;
  events?: string[];
  format?: string;
  description?: string;
}

interface AddOptions extends Members {
  account?: string;
  url: string;
  events: string[];
}

export function addWebhooks(program: Command, run: RunCommand): void {
  const webhooks = program.command('webhooks').description('manage webhooks, which get events over HTTP');
  addAdd(webhooks, run);
  addList(webhooks, run);
  addShow(webhooks, run);
  addChange(webhooks, run);
  addTest(webhooks, run);
  addRedeliver(webhooks, run);
  addRotate(webhooks, run);
  addRemove(webhooks, run);
}

function addAdd(webhooks: Command, run: RunCommand): void {
  const add = addOptionalAccount(
    webhooks.command('add'),
    'only events of this account: id or e-mail address (the installation and all accounts)',
  )
    .description('add a webhook and print it as JSON; the secret `secret` is shown only once')
    .requiredOption('--url <url>', 'https: URL of the receiver')
    .requiredOption(
      '--events <types>',
      'types separated by commas, such as key.created,key.revoked',
      parseList,
    )
    .option('--format <format>', 'standard, or slack for incoming webhooks of Slack and others (standard)')
    .option('--description <text>', 'what it is for');
  onOptionalAccount(add, (account, options: AddOptions) =>
    run(async (client) => {
      const request = {
        ...{ url: options.url, events: options.events },
        ...(account !== undefined && { account }),
        ...(options.format !== undefined && { format: options.format }),
        ...(options.description !== undefined && { description: options.description }),
      };
      const { secret, webhook } = await client.callOnce(
        CALL_DEADLINE_MS,
        'webhooks',
        'createWebhook',
        request,
      );
      const json = { id: webhookJson(webhook).id, secret };
      return { json, text: `${JSON.stringify(json, null, 2)}\n` };
    }),
  );
}

function addList(webhooks: Command, run: RunCommand): void {
  const list = addOptionalAccount(
    webhooks.command('list'),
    'only webhooks of this account: id or e-mail address (all)',
  ).description('list webhooks, newest first');
  onOptionalAccount(list, (account) =>
    run(async (client) => ({
      pages: readAllPages(
        (place) =>
          client.call(CALL_DEADLINE_MS, 'webhooks', 'listWebhooks', {
            ...(account !== undefined && { account }),
            ...place,
          }),
        (answer) => answer.webhooks.map(webhookJson),
      ),
      table: webhookTable,
    })),
  );
}

function addShow(webhooks: Command, run: RunCommand): void {
  withId(webhooks.command('show'))
    .description(`show a webhook and its latest ${SHOWN_DELIVERIES} deliveries, newest first`)
    .option('--state <state>', 'only deliveries in this state: pending, delivered, failed or held')
    .action((id: string, { state }: { state?: string }) =>
      run(async (client) => {
        const request = { id, limit: SHOWN_DELIVERIES, ...(state !== undefined && { state }) };
        const [webhook, { deliveries }] = await Promise.all([
          client.call(CALL_DEADLINE_MS, 'webhooks', 'getWebhook', { id }),
          client.call(CALL_DEADLINE_MS, 'webhooks', 'listWebhookDeliveries', request),
        ]);
        const rows = deliveries.map(deliveryJson);
        const json = { ...webhookJson(webhook), deliveries: rows };
        return { json, text: `${webhookText(json)}\n${deliveryTable(rows)}` };
      }),
    );
}

function addChange(webhooks: Command, run: RunCommand): void {
  withId(webhooks.command('change'))
    .description('change a webhook; while it is disabled, its events are stored, but not sent')
    .option('--url <url>', 'https: URL of the receiver')
    .option('--events <types>', 'types separated by commas, instead of those that it has', parseList)
    .option('--format <format>', 'standard or slack')
    .option('--description <text>', 'what it is for')
    .option('--enable', 'send events again')
    .option('--disable', 'send nothing until it is enabled')
    .action((id: string, options: Members & { enable?: true; disable?: true }, command: Command) => {
      const { disable, enable, events, ...members } = options;
      if (enable && disable) command.error('error: give either --enable or --disable');
      return run(async (client) => {
        const request = {
          ...{ id, ...members },
          ...(events !== undefined && { events: { types: events } }),
          ...((enable || disable) && { enabled: enable === true }),
        };
        const json = webhookJson(await client.call(CALL_DEADLINE_MS, 'webhooks', 'changeWebhook', request));
        return { json, text: webhookText(json) };
      });
    });
}

function addTest(webhooks: Command, run: RunCommand): void {
  withId(webhooks.command('test'))
    .description('send an event of the type webhook.test once, and show what the receiver answered')
    .action((id: string) =>
      run(async (client) => {
        const json = deliveryJson(await client.callOnce(CALL_DEADLINE_MS, 'webhooks', 'testWebhook', { id }));
        return { json, text: deliveryTable([json]) };
      }),
    );
}

function addRedeliver(webhooks: Command, run: RunCommand): void {
  withId(webhooks.command('redeliver'))
    .description('deliver one event again, or all since a time, whether they were delivered or not')
    .option('--event <id>', 'id of the event, evt_…')
    .option('--since <time>', 'date or Unix seconds', parseTime)
    .action((id: string, { event, since }: { event?: string; since?: number }, command: Command) => {
      if ((event === undefined) === (since === undefined))
        command.error('error: give either --event or --since');
      return run(async (client) => {
        const request = {
          id,
          ...(event !== undefined && { eventId: event }),
          ...(since !== undefined && { sinceMs: since * 1_000 }),
        };
        const { count } = await client.call(CALL_DEADLINE_MS, 'webhooks', 'redeliverWebhook', request);
        const events = count === 1 ? 'event is' : 'events are';
        return { json: { count }, text: `${count} ${events} delivered again\n` };
      });
    });
}

function addRotate(webhooks: Command, run: RunCommand): void {
  withId(webhooks.command('rotate'))
    .description('give a webhook a new secret, shown only once; the old one stays valid for 24 hours')
    .action((id: string) =>
      run(async (client) => {
        const answer = await client.callOnce(CALL_DEADLINE_MS, 'webhooks', 'rotateWebhookSecret', { id });
        const json = {
          ...{ id, secret: answer.secret },
          previous_secret_expires_at: new Date(Number(answer.previousExpiresAtMs)).toISOString(),
        };
        return { json, text: `${JSON.stringify(json, null, 2)}\n` };
      }),
    );
}

function addRemove(webhooks: Command, run: RunCommand): void {
  withId(webhooks.command('remove'))
    .description('remove a webhook; nothing more is sent')
    .action((id: string) =>
      run(async (client) => {
        const json = webhookJson(await client.call(CALL_DEADLINE_MS, 'webhooks', 'removeWebhook', { id }));
        return { json, text: `${id} is removed\n` };
      }),
    );
}

function withId(command: Command): Command {
  return command.argument('<webhook>', 'id as in `webhooks list`');
}

function webhookText(json: WebhookJson): string {
  const since = json.failing_since === null ? '' : `, failing since ${json.failing_since}`;
  const because = json.disabled_because === null ? '' : ' (its receiver answered 410 Gone)';
  const lines = [
    `${json.id}  ${json.status}${because}${since}`,
    `${json.format} to ${json.url}`,
    json.events.join(', '),
  ];
  return `${lines.join('\n')}\n`;
}

function parseList(text: string): string[] {
  return text.split(',').map((entry) => entry.trim());
}
