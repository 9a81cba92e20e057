import { Modal, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { PlaygroundApi, PlaygroundChatRequest } from '../../../../wire/playground.ts';
import { playgroundBody } from '../../../../wire/playground-body.ts';
import { CodeTabs } from '../../components/code-tabs.tsx';
import { Hint } from '../../components/hint.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useSession } from '../../session/use-session.ts';
import { KEY_VARIABLE } from '../first-request/recipes.ts';
import { API_NAMES, playgroundApiOf } from './api-names.ts';
import { requestCode } from './request-code.ts';

interface CodeDialogProps {
  /** Undefined: the dialog is closed. */
  request: PlaygroundChatRequest | undefined;
  onClose: () => void;
}

/** Shows code that sends the request to the API. */
export function CodeDialog({ request, onClose }: CodeDialogProps) {
  const baseUrl = useSession().data?.apiBaseUrl;
  return (
    <Modal opened={request !== undefined} onClose={onClose} title="Code of this request" size="xl" centered>
      {request !== undefined && baseUrl !== undefined && <RequestCode request={request} baseUrl={baseUrl} />}
    </Modal>
  );
}

function RequestCode({ baseUrl, request }: { baseUrl: string; request: PlaygroundChatRequest }) {
  const [api, setApi] = useState<PlaygroundApi>(request.api);
  return (
    <>
      <Hint mb="sm">
        Set <code>{KEY_VARIABLE}</code> to one of <TextLink to="/dashboard/api-keys">your API keys</TextLink>.
        The key decides who pays.
      </Hint>
      <NativeSelect
        label="API"
        value={api}
        data={API_NAMES}
        mb="sm"
        onChange={(event) => setApi(playgroundApiOf(event.currentTarget.value))}
      />
      <CodeTabs
        label="Client"
        tabs={requestCode({ baseUrl, api, body: playgroundBody({ ...request, api }) })}
        maxHeight={440}
      />
    </>
  );
}
