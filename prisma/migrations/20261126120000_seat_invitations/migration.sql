-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "email_verified_at" TIMESTAMPTZ(3),
ADD COLUMN     "signup_pool_due" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "seat_invitations" (
    "id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "seat_invitations_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "seat_invitations_token_hash_key" ON "seat_invitations"("token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "seat_invitations_team_id_email_key" ON "seat_invitations"("team_id", "email");

-- CreateIndex
CREATE INDEX "seat_invitations_email_idx" ON "seat_invitations"("email");

-- CreateIndex
CREATE INDEX "seat_invitations_expires_at_idx" ON "seat_invitations"("expires_at");

-- AddForeignKey
ALTER TABLE "seat_invitations" ADD CONSTRAINT "seat_invitations_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;


-- An account that nobody has signed in to was made by an operator, who vouches for its address; and an identity provider
-- has proven those of its own sign-ins. Of all others it is not known: they prove theirs the next time.
UPDATE "accounts" SET "email_verified_at" = "created_at" WHERE "sign_in_id" IS NULL;
UPDATE "accounts" a SET "email_verified_at" = u."updated_at" FROM "dashboard_users" u
WHERE u."id" = a."sign_in_id" AND u."email_verified" AND u."email" = a."email";
