-- Remembers that the identity provider of the installation has deleted an owner, whom the account's own
-- identity provider must not let back in.
ALTER TABLE "accounts" ADD COLUMN "owner_removed" BOOLEAN NOT NULL DEFAULT false;

-- Nobody recorded who deleted an owner so far: these come back through that provider or an operator.
UPDATE "accounts" SET "owner_removed" = true WHERE "stopped_by" = 'scim' AND NOT EXISTS (
  SELECT FROM "scim_users" u WHERE u."account_id" = "accounts"."id" AND u."member_id" IS NULL AND NOT u."active"
);
