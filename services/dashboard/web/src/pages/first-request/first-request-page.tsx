import { Code, Group, Stack, Text } from '@mantine/core';
import classes from '../../components/code-tabs.module.css';
import { CodeTabs } from '../../components/code-tabs.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Hint } from '../../components/hint.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import { Panel } from '../../components/panel.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { DocsLink } from '../../session/docs-link.tsx';
import { useSession } from '../../session/use-session.ts';
import { firstFreeChatModel, modelPlaceholder } from '../keys/first-free-chat-model.ts';
import { useModels } from '../models/use-models.ts';
import { KEY_VARIABLE, recipes } from './recipes.ts';

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
            <TextLink to="/dashboard/api-keys">Create a key</TextLink> and set it as an environment variable.
            The code below reads it:
          </Text>
          <Code block className={classes.code}>
            {KEY_LINE}
          </Code>
        </Panel>
        <Panel
          title="2. Your first request"
          description={
            model === modelPlaceholder
              ? `Replace ${modelPlaceholder} with the ID of a model.`
              : `It calls ${model}, which is free.`
          }
        >
          <CodeTabs
            label="Client"
            tabs={recipes({ baseUrl, model })}
            above={({ run }) => run !== undefined && <Hint mb="xs">{run}</Hint>}
          />
        </Panel>
        <Panel title="3. What comes next">
          <Text size="sm">
            The <DocsLink /> has every endpoint, field and error;{' '}
            <TextLink to="/dashboard/models">Models</TextLink> lists every model and its price. Your requests
            show under <TextLink to="/dashboard/usage">Usage</TextLink> within seconds.
          </Text>
        </Panel>
      </Stack>
    </>
  );
}
