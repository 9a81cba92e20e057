import { useManagement } from '../api/use-management.ts';
import { consolePaths } from '../console-paths.ts';
import { TextLink } from './text-link.tsx';

/** Links to the page of an account by its name. */
export function AccountLink({ id }: { id: string }) {
  const account = useManagement('getAccount', { path: { id } });
  const body = account.data?.body;
  return <TextLink to={consolePaths.account(id)}>{body?.name ?? 'Account'}</TextLink>;
}
