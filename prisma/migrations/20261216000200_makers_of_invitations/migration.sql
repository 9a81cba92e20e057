-- Open invitations end when the member who made them loses the role for it.
ALTER TABLE "account_members" ADD COLUMN "invited_by" TEXT;

ALTER TABLE "seat_invitations" ADD COLUMN "invited_by" TEXT;
