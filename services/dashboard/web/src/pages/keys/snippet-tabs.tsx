import { CodeTabs } from '../../components/code-tabs.tsx';
import { Hint } from '../../components/hint.tsx';
import { useSession } from '../../session/use-session.ts';
import { useModels } from '../models/use-models.ts';
import { firstFreeChatModel, modelPlaceholder } from './first-free-chat-model.ts';
import { snippets } from './snippets.ts';

/** Shows a first request in three languages, with the key and the base URL. */
export function SnippetTabs({ rawKey, onCopied }: { rawKey: string; onCopied: () => void }) {
  const { data: session } = useSession();
  const model = firstFreeChatModel(useModels().data);
  if (session === undefined) return null;
  const note =
    model === modelPlaceholder
      ? `Replace ${modelPlaceholder} with the ID of a model; the models page lists them.`
      : `It calls ${model}, which is free.`;
  return (
    <CodeTabs
      label="Language"
      tabs={snippets({ baseUrl: session.apiBaseUrl, rawKey, model })}
      note={<Hint>{note}</Hint>}
      maxHeight={300}
      onCopied={onCopied}
    />
  );
}
