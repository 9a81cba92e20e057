import { Code, Group, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ModelsResponse } from '../../../../wire/status.ts';
import { getJson } from '../../api/client.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { useSession } from '../../session/use-session.ts';
import { firstFreeChatModel, modelPlaceholder } from './first-free-chat-model.ts';
import classes from './new-key.module.css';
import { snippets } from './snippets.ts';

/** Shows a first request in three languages, with the key and the base URL. */
export function SnippetTabs({ rawKey, onCopied }: { rawKey: string; onCopied: () => void }) {
  const { data: session } = useSession();
  const { data: models } = useQuery({
    queryKey: ['models'],
    queryFn: ({ signal }) => getJson<ModelsResponse>('/api/models', {}, signal),
  });
  if (session === undefined) {
    return null;
  }
  const model = firstFreeChatModel(models);
  const all = snippets({ baseUrl: session.apiBaseUrl, rawKey, model });
  return (
    <Tabs defaultValue="curl">
      <Tabs.List aria-label="Language">
        {all.map(({ id, label }) => (
          <Tabs.Tab key={id} value={id}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {all.map(({ id, label, code }) => (
        <Tabs.Panel key={id} value={id} pt="sm">
          <Code block className={classes.code} tabIndex={0}>
            {code}
          </Code>
          <Group justify="space-between" mt="xs">
            <Text size="sm" c="dimmed">
              {model === modelPlaceholder
                ? `Replace ${modelPlaceholder} with the ID of a model; the models page lists them.`
                : `It calls ${model}, which is free.`}
            </Text>
            <CopyButton value={code} label={`Copy ${label}`} onCopied={onCopied} />
          </Group>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
