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
import { getJson, postJson } from '../../api/client.ts';
import { changeManagement, readManagement } from '../../api/management.ts';

export interface DeliveriesRequest {
  state: string | undefined;
  cursor: string | undefined;
}

/** Reads and changes webhooks: those of the shown account, or those of the installation. */
export interface WebhookSource {
  /** Path of its pages. */
  path: string;
  /** True: it may also have events of the installation. */
  isOfInstallation: boolean;
  list(signal: AbortSignal): Promise<Webhook[]>;
  create(settings: CreateWebhookRequest): Promise<NewWebhook>;
  change(id: string, change: ChangeWebhookRequest): Promise<unknown>;
  remove(id: string): Promise<unknown>;
  rotate(id: string): Promise<NewWebhook>;
  test(id: string): Promise<WebhookDelivery>;
  redeliver(id: string, what: RedeliverWebhookRequest): Promise<{ count: number }>;
  deliveries(id: string, request: DeliveriesRequest, signal: AbortSignal): Promise<DeliveriesResponse>;
}

const at = (id: string, action = '') => `/api/webhooks/${encodeURIComponent(id)}${action}`;

export const accountWebhooks: WebhookSource = {
  path: '/dashboard/webhooks',
  isOfInstallation: false,
  list: async (signal) => (await getJson<WebhooksResponse>('/api/webhooks', {}, signal)).data,
  create: (settings) => postJson('/api/webhooks', settings),
  change: (id, change) => postJson(at(id), change),
  remove: (id) => postJson(at(id, '/remove')),
  rotate: (id) => postJson(at(id, '/rotate')),
  test: (id) => postJson(at(id, '/test')),
  redeliver: (id, what) => postJson(at(id, '/redeliver'), what),
  deliveries: (id, request, signal) => getJson(at(id, '/deliveries'), { ...request }, signal),
};

export const installationWebhooks: WebhookSource = {
  path: '/operate/webhooks',
  isOfInstallation: true,
  list: async (signal) => (await readManagement('listWebhooks', { query: { limit: 200 } }, signal)).body.data,
  create: async (settings) => (await changeManagement('createWebhook', { body: settings })).body,
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
};

const SourceContext = createContext(accountWebhooks);
export const WebhookSourceProvider = SourceContext.Provider;

export function useWebhookSource(): WebhookSource {
  return useContext(SourceContext);
}
