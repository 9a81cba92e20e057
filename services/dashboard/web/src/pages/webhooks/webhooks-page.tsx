import { PageHeader } from '../../components/page-header.tsx';
import { useMay } from '../../session/use-may.ts';
import { useMayChange } from '../../session/use-may-change.ts';
import { accountWebhooks, managedWebhooks } from './webhook-source.ts';
import { WebhooksPanel } from './webhooks-panel.tsx';

/** Shows the webhooks of the account. */
export function WebhooksPage() {
  const mayChange = useMay('admin');
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="A webhook gets a request when something happens in this account, such as a budget at 80 %."
      />
      <WebhooksPanel source={accountWebhooks} title="Webhooks of this account" mayChange={mayChange} />
    </>
  );
}

/** Shows all webhooks, in the console. */
export function InstallationWebhooksPage() {
  const mayChange = useMayChange();
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="URLs that get a request when something happens: those of accounts, and your own alerts."
      />
      <WebhooksPanel source={managedWebhooks()} title="All webhooks" mayChange={mayChange} />
    </>
  );
}
