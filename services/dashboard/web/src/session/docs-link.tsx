import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { docsUrl } from './docs-url.ts';
import { useSession } from './use-session.ts';

interface DocsLinkProps {
  children?: ReactNode;
  /** Among other links it needs no underline to be recognised. */
  isAmongLinks?: boolean;
}

/** Links to the reference of the API in a new tab: a dialog that is open here must not be lost. */
export function DocsLink({ children = 'API reference', isAmongLinks = false }: DocsLinkProps) {
  const apiBaseUrl = useSession().data?.apiBaseUrl;
  if (apiBaseUrl === undefined) return null;
  return (
    <Anchor
      href={docsUrl(apiBaseUrl)}
      target="_blank"
      rel="noreferrer"
      inherit
      underline={isAmongLinks ? 'hover' : 'always'}
    >
      {children}
    </Anchor>
  );
}
