-- Users and groups that identity providers provision over SCIM, and what groups gave.
ALTER TABLE "accounts" ADD COLUMN "stopped_by" TEXT;

ALTER TABLE "seats" ADD COLUMN "source" TEXT;

CREATE TABLE "scim_users" (
    "id" TEXT NOT NULL,
    "directory" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "user_name" TEXT NOT NULL,
    "user_name_key" TEXT NOT NULL,
    "external_id" TEXT,
    "display_name" TEXT NOT NULL DEFAULT '',
    "given_name" TEXT NOT NULL DEFAULT '',
    "family_name" TEXT NOT NULL DEFAULT '',
    "formatted_name" TEXT NOT NULL DEFAULT '',
    "emails" JSONB NOT NULL,
    "email_keys" TEXT[],
    "email" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL,
    "account_id" TEXT NOT NULL,
    "member_id" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "scim_users_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "scim_groups" (
    "id" TEXT NOT NULL,
    "directory" TEXT NOT NULL,
    "display_name" TEXT NOT NULL,
    "display_name_key" TEXT NOT NULL,
    "external_id" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "scim_groups_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "scim_group_members" (
    "group_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,

    CONSTRAINT "scim_group_members_pkey" PRIMARY KEY ("group_id","user_id")
);

CREATE UNIQUE INDEX "scim_users_directory_user_name_key_key" ON "scim_users"("directory", "user_name_key");
CREATE UNIQUE INDEX "scim_users_scope_email_key" ON "scim_users"("scope", "email");
CREATE INDEX "scim_users_directory_created_at_id_idx" ON "scim_users"("directory", "created_at", "id");
CREATE INDEX "scim_users_directory_external_id_idx" ON "scim_users"("directory", "external_id");
CREATE INDEX "scim_users_account_id_idx" ON "scim_users"("account_id");
CREATE INDEX "scim_users_email_keys_idx" ON "scim_users" USING GIN ("email_keys");
CREATE UNIQUE INDEX "scim_groups_directory_display_name_key_key" ON "scim_groups"("directory", "display_name_key");
CREATE INDEX "scim_groups_directory_created_at_id_idx" ON "scim_groups"("directory", "created_at", "id");
CREATE INDEX "scim_groups_directory_external_id_idx" ON "scim_groups"("directory", "external_id");
CREATE INDEX "scim_group_members_user_id_idx" ON "scim_group_members"("user_id");

ALTER TABLE "scim_group_members" ADD CONSTRAINT "scim_group_members_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "scim_groups"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "scim_group_members" ADD CONSTRAINT "scim_group_members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "scim_users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
