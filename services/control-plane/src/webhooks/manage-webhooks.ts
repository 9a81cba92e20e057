import { setTimeout as sleep } from 'node:timers/promises';
import type { Mailer } from '@model-gateway/mail';
import { type CredentialSeal, newId } from '@model-gateway/shared';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Actor } from '../actors/actor.ts';
import { invalidArgument, notFound } from '../errors/control-plane-error.ts';
import { type ListRequest, listPage, parseListQuery } from '../lists/list-page.ts';
import { checkWebhook, type UrlChecks, type WebhookRequest } from './check-webhook.ts';
import type { DeliveryWorker } from './delivery-worker.ts';
import type { RedeliveryRequest, RedeliveryStore } from './redelivery-store.ts';
import type { WebhookSender } from './send-webhook.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import type { StoredWebhook } from './stored-webhook.ts';
import { newWebhookSecret, sealWebhookSecret } from './webhook-secrets.ts';
import type { WebhookStore } from './webhook-store.ts';

export interface WebhookContext {
  accountStore: Pick<AccountStore, 'requireNotDeleted'>;
  credentialSeals: readonly CredentialSeal[];
  deliveryWorker: Pick<DeliveryWorker, 'test'>;
  redeliveryStore: RedeliveryStore;
  mailer: Pick<Mailer, 'isConfigured'>;
  webhookSender: Pick<WebhookSender, 'requireLiteral'>;
  webhookStore: WebhookStore;
}

/** Time for which the secret before a rotation stays valid. */
const OVERLAP_HOURS = 24;
/** Calls of the dashboard end after 10 s. */
const TEST_WAIT_MS = 8_000;

export interface NewWebhookRequest extends WebhookRequest {
  url: string;
  events: readonly string[];
  /** Id or e-mail address; undefined: the caller's, or the installation. */
  account?: string | undefined;
  /** Undefined: a new one. */
  secret?: string | undefined;
}

/**
 * Adds a webhook. A caller that is bound to an account adds it there; others without `account` for the
 * installation.
 * @returns `secret`: shown only here
 * @throws ControlPlaneError invalid_argument, not_found (account)
 */
export async function createWebhook(
  context: WebhookContext,
  actor: Actor,
  { account, secret = newWebhookSecret(), ...request }: NewWebhookRequest,
): Promise<{ webhook: StoredWebhook; secret: string }> {
  const accountId = await accountOf(context, actor, account);
  const checked = checkWebhook(urlChecks(context), accountId, request);
  const { description = '', events = [], format = 'standard', url = '' } = checked;
  const id = newId('wh');
  const sealed = sealWebhookSecret(context.credentialSeals, id, secret);
  const stored = { id, accountId, url, events, format, description };
  return { webhook: await context.webhookStore.create(actor, stored, sealed), secret };
}

/** @throws ControlPlaneError not_found, invalid_argument */
export async function changeWebhook(
  context: WebhookContext,
  actor: Actor,
  { id, ...request }: WebhookRequest & { id: string },
): Promise<StoredWebhook> {
  const { accountId } = await requireWebhook(context, boundTo(actor), id);
  return await context.webhookStore.change(actor, id, checkWebhook(urlChecks(context), accountId, request));
}

/** @throws ControlPlaneError not_found */
export async function removeWebhook(
  context: WebhookContext,
  actor: Actor,
  id: string,
): Promise<StoredWebhook> {
  const webhook = await requireWebhook(context, boundTo(actor), id);
  await context.webhookStore.remove(actor, id);
  return webhook;
}

/**
 * Gives a webhook a new secret. For 24 hours, deliveries are signed with the one before as well.
 * @param secret undefined: a new one
 * @throws ControlPlaneError not_found
 */
export async function rotateWebhookSecret(
  context: WebhookContext,
  actor: Actor,
  id: string,
  secret: string = newWebhookSecret(),
): Promise<{ webhook: StoredWebhook; secret: string; previousExpiresAt: Date }> {
  await requireWebhook(context, boundTo(actor), id);
  const sealed = sealWebhookSecret(context.credentialSeals, id, secret);
  return { ...(await context.webhookStore.rotateSecret(actor, id, sealed, OVERLAP_HOURS)), secret };
}

/** Delivers one event again, or all since a time. @returns how many @throws ControlPlaneError */
export async function redeliver(
  context: WebhookContext,
  actor: Actor,
  id: string,
  { eventId, since }: { eventId?: string | undefined; since?: Date | undefined },
): Promise<number> {
  await requireWebhook(context, boundTo(actor), id);
  if ((eventId === undefined) === (since === undefined))
    throw invalidArgument('name either one event or a time');
  const request: RedeliveryRequest = since === undefined ? { eventId: eventId ?? '' } : { since };
  return await context.redeliveryStore.redeliver(actor, id, request);
}

/**
 * Sends an event of the type `webhook.test` now, once, also to a disabled webhook.
 * @returns its delivery: after 8 s without a response it has no attempt yet
 * @throws ControlPlaneError not_found, failed_precondition (a test of the webhook is running)
 */
export async function testWebhook(
  context: WebhookContext,
  actor: Actor,
  id: string,
): Promise<StoredDelivery> {
  await requireWebhook(context, boundTo(actor), id);
  const { claimed, delivered } = await context.deliveryWorker.test(id, () =>
    context.redeliveryStore.addTest(actor, id),
  );
  await Promise.race([delivered, sleep(TEST_WAIT_MS, undefined, { ref: false })]);
  return await context.redeliveryStore.find(id, claimed.eventId);
}

/** @param request.accountId undefined: all; null: those of the installation */
export async function listWebhooks(
  { webhookStore }: Pick<WebhookContext, 'webhookStore'>,
  request: ListRequest & { accountId: string | null | undefined },
) {
  const query = parseListQuery(request);
  return listPage(await webhookStore.list(request.accountId, query), query);
}

/**
 * Finds a webhook that the caller may see.
 * @param own the only account of the caller, for which those of others are missing; undefined: it may see all
 * @throws ControlPlaneError not_found
 */
export async function requireWebhook(
  { webhookStore }: Pick<WebhookContext, 'webhookStore'>,
  own: string | undefined,
  id: string,
): Promise<StoredWebhook> {
  const webhook = await webhookStore.find(id);
  if (webhook === null || (own !== undefined && webhook.accountId !== own))
    throw notFound(`there is no webhook ${id}`);
  return webhook;
}

function urlChecks({ mailer, webhookSender }: Pick<WebhookContext, 'mailer' | 'webhookSender'>): UrlChecks {
  return {
    requireLiteral: (url) => webhookSender.requireLiteral(url),
    sendsMail: mailer.isConfigured,
  };
}

/** Returns the only account of the caller; undefined: it may see all. */
function boundTo(actor: Actor): string | undefined {
  return 'accountId' in actor ? actor.accountId : undefined;
}

async function accountOf(
  { accountStore }: Pick<WebhookContext, 'accountStore'>,
  actor: Actor,
  requested: string | undefined,
): Promise<string | null> {
  const own = boundTo(actor);
  if (requested === undefined || requested === own) return own ?? null;
  const { id } = await accountStore.requireNotDeleted(requested);
  if (own !== undefined && id !== own) throw notFound(`there is no account ${requested}`);
  return id;
}
