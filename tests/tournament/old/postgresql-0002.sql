SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.actions (
    match_id character varying(32) NOT NULL,
    sequence integer NOT NULL,
    seat smallint NOT NULL,
    action smallint NOT NULL,
    think_us bigint NOT NULL,
    bank_us bigint NOT NULL,
    said text
);
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.blocks (
    tournament character varying(64) NOT NULL,
    number integer NOT NULL,
    seat_table smallint NOT NULL,
    round integer NOT NULL,
    seatings text NOT NULL,
    state character varying(16) NOT NULL,
    attempt integer NOT NULL,
    chain character varying(64) NOT NULL
);
CREATE TABLE public.entrants (
    tournament character varying(64) NOT NULL,
    name character varying(64) NOT NULL,
    "position" integer NOT NULL,
    uses text NOT NULL,
    entered integer NOT NULL,
    withdrawn integer
);
CREATE TABLE public.fits (
    tournament character varying(64) NOT NULL,
    pool character varying(128) NOT NULL,
    blocks integer NOT NULL,
    data text NOT NULL
);
CREATE TABLE public.forfeits (
    match_id character varying(32) NOT NULL,
    seat smallint NOT NULL,
    sequence integer NOT NULL,
    reason character varying(32) NOT NULL,
    replacement character varying(32) NOT NULL
);
CREATE TABLE public.games (
    tournament character varying(64) NOT NULL,
    block integer NOT NULL,
    game smallint NOT NULL,
    match_id character varying(32) NOT NULL,
    result text
);
CREATE TABLE public.logs (
    match_id character varying(32) NOT NULL,
    bot character varying(64) NOT NULL,
    created timestamp with time zone NOT NULL,
    text text NOT NULL
);
CREATE TABLE public.matches (
    match_id character varying(32) NOT NULL,
    number bigint NOT NULL,
    request_id character varying(64),
    spec text NOT NULL,
    state character varying(16) NOT NULL,
    created timestamp with time zone NOT NULL,
    ended timestamp with time zone,
    outcome text
);
CREATE TABLE public.notes (
    tournament character varying(64) NOT NULL,
    number integer NOT NULL,
    block integer NOT NULL,
    chained integer NOT NULL,
    kind character varying(16) NOT NULL,
    text text NOT NULL,
    created timestamp with time zone NOT NULL
);
CREATE TABLE public.pairs (
    tournament character varying(64) NOT NULL,
    pool character varying(128) NOT NULL,
    bot character varying(64) NOT NULL,
    other character varying(64) NOT NULL,
    ahead bigint NOT NULL,
    tied bigint NOT NULL,
    behind bigint NOT NULL,
    after bigint NOT NULL
);
CREATE TABLE public.records (
    match_id character varying(32) NOT NULL,
    actions bytea NOT NULL
);
CREATE TABLE public.tallies (
    tournament character varying(64) NOT NULL,
    pool character varying(128) NOT NULL,
    bot character varying(64) NOT NULL,
    data text NOT NULL
);
CREATE TABLE public.tokens (
    token_id character varying(16) NOT NULL,
    hash character varying(64) NOT NULL,
    role character varying(16) NOT NULL,
    name character varying(64) NOT NULL,
    created timestamp with time zone NOT NULL,
    expires timestamp with time zone,
    revoked timestamp with time zone
);
CREATE TABLE public.tournaments (
    name character varying(64) NOT NULL,
    number bigint NOT NULL,
    request_id character varying(64),
    event text NOT NULL,
    secret character varying(64) NOT NULL,
    commitment character varying(64) NOT NULL,
    state character varying(16) NOT NULL,
    problem text NOT NULL,
    concurrency integer NOT NULL,
    created timestamp with time zone NOT NULL,
    started timestamp with time zone,
    ended timestamp with time zone,
    played_seconds double precision NOT NULL,
    blocks_made integer NOT NULL,
    blocks_finished integer NOT NULL,
    blocks_void integer NOT NULL,
    games_finished bigint NOT NULL,
    decisions bigint NOT NULL,
    chain character varying(64) NOT NULL,
    chain_blocks integer NOT NULL,
    outcome text
);
INSERT INTO public.alembic_version VALUES ('0002');
INSERT INTO public.blocks VALUES ('done', 0, 0, 1, '[["random","greedy"],["greedy","random"]]', 'finished', 0, '95a4dce038b4d38290343a45e38117d01f64b275d8cc05c37476348fda98c904');
INSERT INTO public.blocks VALUES ('open', 2, 0, 1, '[["anna","random"],["random","anna"]]', 'made', 0, '');
INSERT INTO public.blocks VALUES ('open', 4, 0, 2, '[["greedy","anna"],["anna","greedy"]]', 'made', 0, '');
INSERT INTO public.blocks VALUES ('open', 5, 0, 2, '[["anna","random"],["random","anna"]]', 'made', 0, '');
INSERT INTO public.blocks VALUES ('open', 3, 0, 2, '[["random","greedy"],["greedy","random"]]', 'finished', 0, '');
INSERT INTO public.blocks VALUES ('open', 0, 0, 1, '[["random","greedy"],["greedy","random"]]', 'finished', 0, '95a4dce038b4d38290343a45e38117d01f64b275d8cc05c37476348fda98c904');
INSERT INTO public.blocks VALUES ('open', 1, 0, 1, '[["greedy","anna"],["anna","greedy"]]', 'running', 0, '');
INSERT INTO public.entrants VALUES ('done', 'random', 0, 'builtin:random', 0, NULL);
INSERT INTO public.entrants VALUES ('done', 'greedy', 1, 'builtin:greedy', 0, NULL);
INSERT INTO public.entrants VALUES ('open', 'random', 0, 'builtin:random', 0, NULL);
INSERT INTO public.entrants VALUES ('open', 'greedy', 1, 'builtin:greedy', 0, NULL);
INSERT INTO public.entrants VALUES ('open', 'anna', 2, 'connected', 0, NULL);
INSERT INTO public.fits VALUES ('done', 'teutonica:2009:standard-3:2p:10t', 1, '[{"bot":"greedy","place":1,"rating":1675.8026,"error":null,"places":[1,2],"first":0.5089,"blocks":1,"provisional":true,"component":0},{"bot":"random","place":2,"rating":1324.1974,"error":null,"places":[1,2],"first":0.4911,"blocks":1,"provisional":true,"component":0}]');
INSERT INTO public.fits VALUES ('open', 'teutonica:2009:standard-3:2p:10t', 2, '[{"bot":"greedy","place":1,"rating":1723.4958,"error":1270.8489,"places":[1,1],"first":0.9992,"blocks":2,"provisional":true,"component":0},{"bot":"random","place":2,"rating":1276.5042,"error":1270.8489,"places":[2,2],"first":0.0008,"blocks":2,"provisional":true,"component":0}]');
INSERT INTO public.games VALUES ('done', 0, 0, '2447d363379fa6fd', '[[2,1],[0,8],{},["turn limit"],43,"2a0f59e64e7d55280a92556ad372fb1de125ee4167a43e3f3eb110f073f4b3fc"]');
INSERT INTO public.games VALUES ('done', 0, 1, 'e14335b003b13b52', '[[1,2],[6,0],{},["turn limit"],41,"2ab4a6a5011fa4c07fcc3d502b64958aad6a5ca085d15fa7cae63dacdc440904"]');
INSERT INTO public.games VALUES ('open', 0, 0, '69a9a14f5e63786b', '[[2,1],[0,8],{},["turn limit"],43,"2a0f59e64e7d55280a92556ad372fb1de125ee4167a43e3f3eb110f073f4b3fc"]');
INSERT INTO public.games VALUES ('open', 0, 1, 'affc856aa0b387a1', '[[1,2],[6,0],{},["turn limit"],41,"2ab4a6a5011fa4c07fcc3d502b64958aad6a5ca085d15fa7cae63dacdc440904"]');
INSERT INTO public.games VALUES ('open', 3, 0, '2ca27c1cf0a40ed3', '[[2,1],[0,4],{},["turn limit"],39,"5562f9c88c24707197503b846d2ef36d8c924bf5ed26cda7c857e18e3844327d"]');
INSERT INTO public.games VALUES ('open', 3, 1, '0403e3f2568b5488', '[[1,2],[4,0],{},["turn limit"],40,"c5240a0e71fe47a9dc607bef448542fd868d03b416b75c4ece354cd8db092e6c"]');
INSERT INTO public.games VALUES ('open', 1, 0, 'ec5d2e885b1f5c3b', NULL);
INSERT INTO public.matches VALUES ('2447d363379fa6fd', 1, NULL, '{"match_id":"2447d363379fa6fd","seed":"3547509563207982326","rules":{"game":"teutonica","edition":"2009","board":"standard-3","players":2,"missions":false,"favours":false,"turn_limit":10},"players":["random","greedy"],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"on_forfeit":"replace","forgiven":3,"anonymous":false,"via":["builtin:random","builtin:greedy"]}', 'finished', '2026-11-18 16:22:54.479807+00', '2026-11-18 16:22:54.479807+00', '{"reasons":["turn limit"],"scores":[{"track":0,"abilities":0,"markers":0,"prestige":0,"cities":0,"network":0,"missions":0,"total":0},{"track":0,"abilities":0,"markers":3,"prestige":0,"cities":4,"network":1,"missions":0,"total":8}],"ranks":[2,1],"forfeits":[null,null]}');
INSERT INTO public.matches VALUES ('e14335b003b13b52', 2, NULL, '{"match_id":"e14335b003b13b52","seed":"3547509563207982326","rules":{"game":"teutonica","edition":"2009","board":"standard-3","players":2,"missions":false,"favours":false,"turn_limit":10},"players":["greedy","random"],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"on_forfeit":"replace","forgiven":3,"anonymous":false,"via":["builtin:greedy","builtin:random"]}', 'finished', '2026-11-18 16:22:54.479807+00', '2026-11-18 16:22:54.479807+00', '{"reasons":["turn limit"],"scores":[{"track":0,"abilities":0,"markers":1,"prestige":0,"cities":4,"network":1,"missions":0,"total":6},{"track":0,"abilities":0,"markers":0,"prestige":0,"cities":0,"network":0,"missions":0,"total":0}],"ranks":[1,2],"forfeits":[null,null]}');
INSERT INTO public.matches VALUES ('69a9a14f5e63786b', 3, NULL, '{"match_id":"69a9a14f5e63786b","seed":"3547509563207982326","rules":{"game":"teutonica","edition":"2009","board":"standard-3","players":2,"missions":false,"favours":false,"turn_limit":10},"players":["random","greedy"],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"on_forfeit":"replace","forgiven":3,"anonymous":false,"via":["builtin:random","builtin:greedy"]}', 'finished', '2026-11-18 16:22:54.523313+00', '2026-11-18 16:22:54.523313+00', '{"reasons":["turn limit"],"scores":[{"track":0,"abilities":0,"markers":0,"prestige":0,"cities":0,"network":0,"missions":0,"total":0},{"track":0,"abilities":0,"markers":3,"prestige":0,"cities":4,"network":1,"missions":0,"total":8}],"ranks":[2,1],"forfeits":[null,null]}');
INSERT INTO public.matches VALUES ('affc856aa0b387a1', 4, NULL, '{"match_id":"affc856aa0b387a1","seed":"3547509563207982326","rules":{"game":"teutonica","edition":"2009","board":"standard-3","players":2,"missions":false,"favours":false,"turn_limit":10},"players":["greedy","random"],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"on_forfeit":"replace","forgiven":3,"anonymous":false,"via":["builtin:greedy","builtin:random"]}', 'finished', '2026-11-18 16:22:54.523313+00', '2026-11-18 16:22:54.523313+00', '{"reasons":["turn limit"],"scores":[{"track":0,"abilities":0,"markers":1,"prestige":0,"cities":4,"network":1,"missions":0,"total":6},{"track":0,"abilities":0,"markers":0,"prestige":0,"cities":0,"network":0,"missions":0,"total":0}],"ranks":[1,2],"forfeits":[null,null]}');
INSERT INTO public.matches VALUES ('2ca27c1cf0a40ed3', 5, NULL, '{"match_id":"2ca27c1cf0a40ed3","seed":"1569306072888918622","rules":{"game":"teutonica","edition":"2009","board":"standard-3","players":2,"missions":false,"favours":false,"turn_limit":10},"players":["random","greedy"],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"on_forfeit":"replace","forgiven":3,"anonymous":false,"via":["builtin:random","builtin:greedy"]}', 'finished', '2026-11-18 16:22:54.523313+00', '2026-11-18 16:22:54.523313+00', '{"reasons":["turn limit"],"scores":[{"track":0,"abilities":0,"markers":0,"prestige":0,"cities":0,"network":0,"missions":0,"total":0},{"track":0,"abilities":0,"markers":1,"prestige":0,"cities":2,"network":1,"missions":0,"total":4}],"ranks":[2,1],"forfeits":[null,null]}');
INSERT INTO public.matches VALUES ('0403e3f2568b5488', 6, NULL, '{"match_id":"0403e3f2568b5488","seed":"1569306072888918622","rules":{"game":"teutonica","edition":"2009","board":"standard-3","players":2,"missions":false,"favours":false,"turn_limit":10},"players":["greedy","random"],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"on_forfeit":"replace","forgiven":3,"anonymous":false,"via":["builtin:greedy","builtin:random"]}', 'finished', '2026-11-18 16:22:54.523313+00', '2026-11-18 16:22:54.523313+00', '{"reasons":["turn limit"],"scores":[{"track":0,"abilities":0,"markers":1,"prestige":0,"cities":2,"network":1,"missions":0,"total":4},{"track":0,"abilities":0,"markers":0,"prestige":0,"cities":0,"network":0,"missions":0,"total":0}],"ranks":[1,2],"forfeits":[null,null]}');
INSERT INTO public.matches VALUES ('ec5d2e885b1f5c3b', 7, NULL, '{"match_id":"ec5d2e885b1f5c3b","seed":"5428037675604991810","rules":{"game":"teutonica","edition":"2009","board":"standard-3","players":2,"missions":false,"favours":false,"turn_limit":10},"players":["greedy","anna"],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"on_forfeit":"replace","forgiven":3,"anonymous":false,"via":["builtin:greedy","anna"]}', 'running', '2026-11-18 16:22:54.528247+00', NULL, NULL);
INSERT INTO public.notes VALUES ('done', 0, 0, 0, 'created', 'seed committed to as 2dd4f5473a20a2f50aae233744642bdca2d0758529d84af10e9e74b817dfe0cf', '2026-11-18 16:22:54.45066+00');
INSERT INTO public.notes VALUES ('done', 1, 0, 0, 'started', '', '2026-11-18 16:22:54.473702+00');
INSERT INTO public.notes VALUES ('done', 2, 1, 0, 'finished', '', '2026-11-18 16:22:54.497258+00');
INSERT INTO public.notes VALUES ('open', 0, 0, 0, 'created', 'seed committed to as 2dd4f5473a20a2f50aae233744642bdca2d0758529d84af10e9e74b817dfe0cf', '2026-11-18 16:22:54.510748+00');
INSERT INTO public.notes VALUES ('open', 1, 0, 0, 'started', '', '2026-11-18 16:22:54.518835+00');
INSERT INTO public.pairs VALUES ('done', 'teutonica:2009:standard-3:2p:10t', 'greedy', 'random', 2, 0, 0, 2);
INSERT INTO public.pairs VALUES ('done', 'teutonica:2009:standard-3:2p:10t', 'random', 'greedy', 0, 0, 2, 2);
INSERT INTO public.pairs VALUES ('open', 'teutonica:2009:standard-3:2p:10t', 'greedy', 'random', 4, 0, 0, 4);
INSERT INTO public.pairs VALUES ('open', 'teutonica:2009:standard-3:2p:10t', 'random', 'greedy', 0, 0, 4, 4);
INSERT INTO public.records VALUES ('2447d363379fa6fd', '\x01030d035c00f7021b03550054001b0364000503f3021b03f202150013001b03f302c20043001b03f2021400f6011b03e5022503fa0204030a031b03f70253000a021b03e5023203fe0206030e031b03030131001b03');
INSERT INTO public.records VALUES ('e14335b003b13b52', '\xf902130014001b031003110300031b03320031001b0309030503f2021b031500f6011b03e5023f03f3028f0010031b03d70103011b03010306030b031b03230022001b031a038f00b0001b030c03fa021b03');
INSERT INTO public.records VALUES ('69a9a14f5e63786b', '\x01030d035c00f7021b03550054001b0364000503f3021b03f202150013001b03f302c20043001b03f2021400f6011b03e5022503fa0204030a031b03f70253000a021b03e5023203fe0206030e031b03030131001b03');
INSERT INTO public.records VALUES ('affc856aa0b387a1', '\xf902130014001b031003110300031b03320031001b0309030503f2021b031500f6011b03e5023f03f3028f0010031b03d70103011b03010306030b031b03230022001b031a038f00b0001b030c03fa021b03');
INSERT INTO public.records VALUES ('2ca27c1cf0a40ed3', '\xf60209030c03fd021b0330002e001b03fe0231001d001b03fc02080351001b038400f2021b03140013001b032d002b00f3021b03f2021500f6011b03e402260329000c03f8021b03030152001b03');
INSERT INTO public.records VALUES ('0403e3f2568b5488', '\xf702550053001b031d00fe021b03310032001b033200dc0230002f001a001b03f40254000a021b03e4022d03c1005500f2021b03030115001b032c000903f5021b03520051001b03f20207030c031b03');
INSERT INTO public.tallies VALUES ('done', 'teutonica:2009:standard-3:2p:10t', 'greedy', '{"games":2,"firsts":2,"place_shares":48,"points":14,"forfeits":{},"seats":{"0":1,"1":1},"ladder":1530.5304984710244,"ladder_games":2}');
INSERT INTO public.tallies VALUES ('done', 'teutonica:2009:standard-3:2p:10t', 'random', '{"games":2,"firsts":0,"place_shares":0,"points":0,"forfeits":{},"seats":{"0":1,"1":1},"ladder":1469.4695015289756,"ladder_games":2}');
INSERT INTO public.tallies VALUES ('open', 'teutonica:2009:standard-3:2p:10t', 'greedy', '{"games":4,"firsts":4,"place_shares":96,"points":22,"forfeits":{},"seats":{"0":2,"1":2},"ladder":1530.5304984710244,"ladder_games":2}');
INSERT INTO public.tallies VALUES ('open', 'teutonica:2009:standard-3:2p:10t', 'random', '{"games":4,"firsts":0,"place_shares":0,"points":0,"forfeits":{},"seats":{"0":2,"1":2},"ladder":1469.4695015289756,"ladder_games":2}');
INSERT INTO public.tournaments VALUES ('done', 1, NULL, '{"name":"done","seed":"","anchor":"","anonymous":false,"on_forfeit":"replace","forgiven":3,"rate_unbalanced":false,"format":{"kind":"round-robin","rounds":1,"blocks_each":0,"both_ways":false},"tables":[{"game":"teutonica","players":2,"edition":"2009","board":"standard-3","missions":false,"favours":false,"turn_limit":10}],"bots":[{"name":"random","uses":"builtin:random"},{"name":"greedy","uses":"builtin:greedy"}],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"limits":{"concurrency":0,"absent":300.0,"restarts":3,"voids":10,"hours":0.0,"log_bytes":65536}}', '5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed', '2dd4f5473a20a2f50aae233744642bdca2d0758529d84af10e9e74b817dfe0cf', 'finished', '', 0, '2026-11-18 16:22:54.45066+00', '2026-11-18 16:22:54.473684+00', '2026-11-18 16:22:54.49725+00', 0.011896039999555796, 1, 1, 0, 2, 84, '95a4dce038b4d38290343a45e38117d01f64b275d8cc05c37476348fda98c904', 1, '{"standings":[{"bot":"greedy","score":1.0,"opponents":0.0,"head_to_head":0.5,"firsts":2,"margin":14.0,"games":2,"place":1,"withdrawn":false},{"bot":"random","score":0.0,"opponents":1.0,"head_to_head":0.5,"firsts":0,"margin":-14.0,"games":2,"place":2,"withdrawn":false}],"dropped_blocks":0}');
INSERT INTO public.tournaments VALUES ('open', 2, NULL, '{"name":"open","seed":"","anchor":"","anonymous":false,"on_forfeit":"replace","forgiven":3,"rate_unbalanced":false,"format":{"kind":"round-robin","rounds":2,"blocks_each":0,"both_ways":false},"tables":[{"game":"teutonica","players":2,"edition":"2009","board":"standard-3","missions":false,"favours":false,"turn_limit":10}],"bots":[{"name":"random","uses":"builtin:random"},{"name":"greedy","uses":"builtin:greedy"},{"name":"anna","uses":"connected"}],"clock":{"per_decision":3600.0,"bank":0.0,"increment":0.0,"grace":0.0},"limits":{"concurrency":1,"absent":300.0,"restarts":3,"voids":10,"hours":0.0,"log_bytes":65536}}', '5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed', '2dd4f5473a20a2f50aae233744642bdca2d0758529d84af10e9e74b817dfe0cf', 'running', '', 1, '2026-11-18 16:22:54.510748+00', '2026-11-18 16:22:54.518823+00', NULL, 0.002547974001572584, 6, 2, 0, 4, 163, '95a4dce038b4d38290343a45e38117d01f64b275d8cc05c37476348fda98c904', 1, NULL);
ALTER TABLE ONLY public.actions
    ADD CONSTRAINT actions_pkey PRIMARY KEY (match_id, sequence);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.blocks
    ADD CONSTRAINT blocks_pkey PRIMARY KEY (tournament, number);
ALTER TABLE ONLY public.entrants
    ADD CONSTRAINT entrants_pkey PRIMARY KEY (tournament, name);
ALTER TABLE ONLY public.fits
    ADD CONSTRAINT fits_pkey PRIMARY KEY (tournament, pool);
ALTER TABLE ONLY public.forfeits
    ADD CONSTRAINT forfeits_pkey PRIMARY KEY (match_id, seat);
ALTER TABLE ONLY public.games
    ADD CONSTRAINT games_match_id_key UNIQUE (match_id);
ALTER TABLE ONLY public.games
    ADD CONSTRAINT games_pkey PRIMARY KEY (tournament, block, game);
ALTER TABLE ONLY public.logs
    ADD CONSTRAINT logs_pkey PRIMARY KEY (match_id, bot);
ALTER TABLE ONLY public.matches
    ADD CONSTRAINT matches_number_key UNIQUE (number);
ALTER TABLE ONLY public.matches
    ADD CONSTRAINT matches_pkey PRIMARY KEY (match_id);
ALTER TABLE ONLY public.matches
    ADD CONSTRAINT matches_request_id_key UNIQUE (request_id);
ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_pkey PRIMARY KEY (tournament, number);
ALTER TABLE ONLY public.pairs
    ADD CONSTRAINT pairs_pkey PRIMARY KEY (tournament, pool, bot, other);
ALTER TABLE ONLY public.records
    ADD CONSTRAINT records_pkey PRIMARY KEY (match_id);
ALTER TABLE ONLY public.tallies
    ADD CONSTRAINT tallies_pkey PRIMARY KEY (tournament, pool, bot);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (token_id);
ALTER TABLE ONLY public.tournaments
    ADD CONSTRAINT tournaments_number_key UNIQUE (number);
ALTER TABLE ONLY public.tournaments
    ADD CONSTRAINT tournaments_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.tournaments
    ADD CONSTRAINT tournaments_request_id_key UNIQUE (request_id);
CREATE INDEX ix_matches_state ON public.matches USING btree (state);
CREATE INDEX ix_tournaments_state ON public.tournaments USING btree (state);
ALTER TABLE ONLY public.actions
    ADD CONSTRAINT actions_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.matches(match_id);
ALTER TABLE ONLY public.blocks
    ADD CONSTRAINT blocks_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(name);
ALTER TABLE ONLY public.entrants
    ADD CONSTRAINT entrants_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(name);
ALTER TABLE ONLY public.fits
    ADD CONSTRAINT fits_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(name);
ALTER TABLE ONLY public.forfeits
    ADD CONSTRAINT forfeits_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.matches(match_id);
ALTER TABLE ONLY public.games
    ADD CONSTRAINT games_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(name);
ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(name);
ALTER TABLE ONLY public.pairs
    ADD CONSTRAINT pairs_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(name);
ALTER TABLE ONLY public.records
    ADD CONSTRAINT records_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.matches(match_id);
ALTER TABLE ONLY public.tallies
    ADD CONSTRAINT tallies_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(name);
