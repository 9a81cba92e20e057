import { createContext, useContext } from 'react';
import type {
  ChangeWebhookRequest,
  CreateWebhookRequest,
  DeliveriesResponse,
  NewWebhook,
  RedeliverWebhookRequest,
  Webhook,
  WebhookDelivery,
  WebhooksResponse,
} from '../../../../wire/webhooks.ts';
import { ApiError, getJson, postJson } from '../../api/client.ts';
import { changeManagement, readManagement } from '../../api/management.ts';

export interface DeliveriesRequest {
  state: string | undefined;
  cursor: string | undefined;
}

/** Reads and changes webhooks: those of the user's account, or through the management API. */
export interface WebhookSource {
  /** Path of its pages. */
  path: string;
  /** Set if operators use it. `accountId` absent: of all accounts and of the installation. */
  managed?: { accountId?: string };
  /** Returns null if there is no such webhook. */
  get(id: string, signal: AbortSignal): Promise<Webhook | null>;
  create(settings: CreateWebhookRequest): Promise<NewWebhook>;
  change(id: string, change: ChangeWebhookRequest): Promise<unknown>;
  remove(id: string): Promise<unknown>;
  rotate(id: string): Promise<NewWebhook>;
  test(id: string): Promise<WebhookDelivery>;
  redeliver(id: string, what: RedeliverWebhookRequest): Promise<{ count: number }>;
  deliveries(id: string, request: DeliveriesRequest, signal: AbortSignal): Promise<DeliveriesResponse>;
}

const at = (id: string, action = '') => `/api/webhooks/${encodeURIComponent(id)}${action}`;

export async function listAccountWebhooks(signal: AbortSignal): Promise<Webhook[]> {
  return (await getJson<WebhooksResponse>('/api/webhooks', {}, signal)).data;
}

export const accountWebhooks: WebhookSource = {
  path: '/dashboard/webhooks',
  get: async (id, signal) => (await listAccountWebhooks(signal)).find((each) => each.id === id) ?? null,
  create: (settings) => postJson('/api/webhooks', settings),
  change: (id, change) => postJson(at(id), change),
  remove: (id) => postJson(at(id, '/remove')),
  rotate: (id) => postJson(at(id, '/rotate')),
  test: (id) => postJson(at(id, '/test')),
  redeliver: (id, what) => postJson(at(id, '/redeliver'), what),
  deliveries: (id, request, signal) => getJson(at(id, '/deliveries'), { ...request }, signal),
};

/** @param accountId new ones get the events of this account; left out: of the installation */
export const managedWebhooks = (accountId?: string): WebhookSource => ({
  path: '/operate/webhooks',
  managed: accountId === undefined ? {} : { accountId },
  get: async (id, signal) => {
    try {
      return (await readManagement('getWebhook', { path: { id } }, signal)).body;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  },
  create: async (settings) => {
    const body = { ...settings, ...(accountId !== undefined && { account_id: accountId }) };
    return (await changeManagement('createWebhook', { body })).body;
  },
  change: async (id, body) => {
    const { etag } = await readManagement('getWebhook', { path: { id } });
    return (await changeManagement('changeWebhook', { path: { id }, body }, { etag })).body;
  },
  remove: (id) => changeManagement('removeWebhook', { path: { id } }),
  rotate: async (id) => (await changeManagement('rotateWebhookSecret', { path: { id }, body: {} })).body,
  test: async (id) => (await changeManagement('testWebhook', { path: { id }, body: {} })).body,
  redeliver: async (id, what) => {
    const body =
      'eventId' in what ? { event_id: what.eventId } : { since: new Date(what.sinceMs).toISOString() };
    return (await changeManagement('redeliverWebhook', { path: { id }, body })).body;
  },
  deliveries: async (id, request, signal) => {
    const query = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
    return (await readManagement('listWebhookDeliveries', { path: { id }, query }, signal)).body;
  },
});

const SourceContext = createContext(accountWebhooks);
export const WebhookSourceProvider = SourceContext.Provider;

export function useWebhookSource(): WebhookSource {
  return useContext(SourceContext);
}
