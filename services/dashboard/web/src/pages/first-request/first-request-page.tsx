import { Anchor, Code, Group, Stack, Tabs, Text } from '@mantine/core';
import { Link } from 'react-router';
import { CopyButton } from '../../components/copy-button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import { Panel } from '../../components/panel.tsx';
import { DocsLink } from '../../session/docs-link.tsx';
import { useSession } from '../../session/use-session.ts';
import { firstFreeChatModel, modelPlaceholder } from '../keys/first-free-chat-model.ts';
import { useModels } from '../models/use-models.ts';
import classes from './first-request.module.css';
import { KEY_VARIABLE, type Recipe, recipes } from './recipes.ts';

const KEY_LINE = `export ${KEY_VARIABLE}=gw_live_…`;

/** Shows code for each client, with the base URL of this gateway. */
export function FirstRequestPage() {
  const baseUrl = useSession().data?.apiBaseUrl;
  const models = useModels();
  if (baseUrl === undefined) return <PageLoading />;
  const model = firstFreeChatModel(models.data);
  return (
    <>
      <PageHeader
        title="First request"
        description="Any OpenAI or Anthropic client works. Give it this gateway’s base URL and one of your keys."
      />
      <Stack gap="md">
        <Panel title="1. The base URL and a key">
          <Group gap="xs">
            <Code className="break-anywhere" fz="sm">
              {baseUrl}
            </Code>
            <CopyButton value={baseUrl} label="Copy base URL" variant="subtle" />
          </Group>
          <Text size="sm">
            <Anchor component={Link} to="/dashboard/api-keys" inherit underline="always">
              Create a key
            </Anchor>{' '}
            and set it as an environment variable. The code below reads it:
          </Text>
          <Code block className={classes.code}>
            {KEY_LINE}
          </Code>
        </Panel>
        <Panel
          title="2. A call"
          description={
            model === modelPlaceholder
              ? `Replace ${modelPlaceholder} with the ID of a model.`
              : `It calls ${model}, which is free.`
          }
        >
          <RecipeTabs recipes={recipes({ baseUrl, model })} />
        </Panel>
        <Panel title="3. All the rest">
          <Text size="sm">
            The <DocsLink /> has every endpoint, field and error; <ModelsLink /> lists every model and its
            price. Your requests show under <UsageLink /> within seconds.
          </Text>
        </Panel>
      </Stack>
    </>
  );
}

function ModelsLink() {
  return (
    <Anchor component={Link} to="/dashboard/models" inherit underline="always">
      Models
    </Anchor>
  );
}

function UsageLink() {
  return (
    <Anchor component={Link} to="/dashboard/usage" inherit underline="always">
      Usage
    </Anchor>
  );
}

function RecipeTabs({ recipes: all }: { recipes: readonly Recipe[] }) {
  return (
    <Tabs defaultValue="curl">
      <Tabs.List aria-label="Client">
        {all.map(({ id, label }) => (
          <Tabs.Tab key={id} value={id}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {all.map(({ id, label, run, code }) => (
        <Tabs.Panel key={id} value={id} pt="sm">
          {run !== undefined && (
            <Text size="sm" c="dimmed" mb="xs">
              {run}
            </Text>
          )}
          <Code block className={classes.code} tabIndex={0}>
            {code}
          </Code>
          <Group justify="flex-end" mt="xs">
            <CopyButton value={code} label={`Copy ${label}`} />
          </Group>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
