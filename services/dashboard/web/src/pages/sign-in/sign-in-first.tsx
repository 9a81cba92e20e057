import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { MessagePage } from './message-page.tsx';

interface SignInFirstProps {
  title: string;
  /** Page of the link, to come back to. */
  from: string;
  signUpOpen: boolean;
  /** Beginning of the sentence: "Sign in to take your seat". */
  children: ReactNode;
}

/** Shows that a link needs a sign-in. */
export function SignInFirst({ title, from, signUpOpen, children }: SignInFirstProps) {
  return (
    <MessagePage title={title}>
      <Text c="dimmed">
        {children}
        {signUpOpen && ', or create an account if you have none'}. You come back here.
      </Text>
      <Group gap="sm">
        <Button component={Link} to="/sign-in" state={{ from }}>
          Sign in
        </Button>
        {signUpOpen && (
          <Button component={Link} to="/sign-up" state={{ from }} variant="default">
            Create an account
          </Button>
        )}
      </Group>
    </MessagePage>
  );
}
