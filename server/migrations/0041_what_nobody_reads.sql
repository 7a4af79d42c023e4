-- Who approved a story and who accepted an invitation stands in the audit log; nobody asks when a mail was sent.
alter table stories drop column approved_by;
alter table invitations drop column accepted_by;
alter table notifications drop column mailed_at;
