-- Account that a user with a role in the installation looks at as its holder sees it.
ALTER TABLE "dashboard_sessions" ADD COLUMN "viewed_account_id" TEXT;
