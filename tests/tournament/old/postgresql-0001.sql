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
CREATE TABLE public.forfeits (
    match_id character varying(32) NOT NULL,
    seat smallint NOT NULL,
    sequence integer NOT NULL,
    reason character varying(32) NOT NULL,
    replacement character varying(32) NOT NULL
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
CREATE TABLE public.tokens (
    token_id character varying(16) NOT NULL,
    hash character varying(64) NOT NULL,
    role character varying(16) NOT NULL,
    name character varying(64) NOT NULL,
    created timestamp with time zone NOT NULL,
    expires timestamp with time zone,
    revoked timestamp with time zone
);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 0, 1, 767, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 1, 0, 780, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 2, 0, 166, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 3, 0, 795, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 4, 1, 164, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 5, 1, 259, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 6, 1, 766, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 7, 1, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 8, 0, 776, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 9, 0, 7, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 10, 0, 761, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 11, 0, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 12, 1, 775, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 13, 1, 778, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 14, 1, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 15, 0, 259, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 16, 0, 774, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 17, 0, 762, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 18, 0, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 19, 1, 782, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 20, 1, 774, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 21, 1, 756, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 22, 1, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 23, 0, 755, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 24, 0, 777, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 25, 0, 785, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 26, 0, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 27, 1, 79, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 28, 1, 772, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 29, 1, 755, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 30, 1, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 31, 0, 765, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 32, 0, 784, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 33, 0, 775, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 34, 0, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 35, 1, 758, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 36, 1, 17, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 37, 1, 784, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 38, 1, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 39, 0, 59, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 40, 0, 54, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 41, 0, 766, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 42, 0, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 43, 1, 773, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 44, 1, 40, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 45, 1, 763, 0, 0, NULL);
INSERT INTO public.actions VALUES ('6475deab3cadc1ba', 46, 1, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 0, 0, 182, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 1, 1, 176, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 2, 0, 180, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 3, 1, 182, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 4, 0, 181, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 5, 1, 181, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 6, 0, 162, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 7, 0, 5, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 8, 0, 194, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 9, 1, 193, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 10, 1, 161, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 11, 1, 9, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 12, 1, 163, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 13, 1, 0, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 14, 1, 160, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 15, 1, 10, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 16, 1, 164, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 17, 1, 32, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 18, 1, 194, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 19, 0, 192, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 20, 0, 194, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 21, 1, 74, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 22, 1, 73, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 23, 1, 165, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 24, 1, 21, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 25, 1, 163, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 26, 1, 53, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 27, 1, 194, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 28, 0, 193, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 29, 0, 160, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 30, 0, 164, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 31, 0, 2, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 32, 0, 194, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 33, 1, 193, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 34, 1, 8, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 35, 1, 167, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 36, 1, 40, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 37, 1, 168, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 38, 1, 194, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 39, 0, 192, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 40, 0, 37, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 41, 0, 166, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 42, 0, 9, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 43, 0, 165, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 44, 0, 194, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 45, 1, 193, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 46, 1, 22, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 47, 1, 163, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 48, 1, 5, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 49, 1, 162, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 50, 1, 54, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 51, 1, 194, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 52, 0, 193, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 53, 0, 20, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 54, 0, 194, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 55, 1, 192, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 56, 1, 10, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 57, 1, 161, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 58, 1, 37, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 59, 1, 163, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 60, 1, 20, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 61, 1, 166, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 62, 1, 194, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 63, 0, 192, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 64, 0, 165, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 65, 0, 41, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 66, 0, 194, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 67, 1, 5, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 68, 1, 163, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 69, 1, 9, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 70, 1, 166, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 71, 1, 73, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 72, 1, 74, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93cc5f8641899695', 73, 1, 194, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 0, 0, 13, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('813dd260d825348b', 1, 0, 171, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('813dd260d825348b', 2, 0, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 3, 1, 46, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 4, 1, 48, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 5, 1, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 6, 2, 29, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 7, 2, 194, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 8, 2, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 9, 0, 46, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('813dd260d825348b', 10, 0, 732, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 11, 1, 50, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 12, 1, 49, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 13, 0, 44, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('813dd260d825348b', 14, 0, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 15, 1, 471, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 16, 1, 47, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 17, 1, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 18, 2, 86, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 19, 2, 3, 0, 0, NULL);
INSERT INTO public.actions VALUES ('813dd260d825348b', 20, 2, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 0, 1, 769, 0, 0, NULL);
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 1, 0, 765, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 2, 0, 770, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 3, 0, 19, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 4, 0, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 5, 1, 761, 0, 0, NULL);
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 6, 1, 775, 0, 0, NULL);
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 7, 1, 84, 0, 0, NULL);
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 8, 1, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 9, 0, 83, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 10, 0, 785, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 11, 0, 764, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 12, 0, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 13, 1, 766, 0, 0, NULL);
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 14, 1, 50, 0, 0, NULL);
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 15, 1, 49, 0, 0, NULL);
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 16, 1, 795, 0, 0, NULL);
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 17, 0, 29, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 18, 0, 794, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('8949dcca9e376db1', 19, 0, 19, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.actions VALUES ('93fcbf264601ab04', 0, 1, 756, 0, 0, NULL);
INSERT INTO public.actions VALUES ('93fcbf264601ab04', 1, 0, 259, 0, 0, '[[1.5, -2.0], "ein \u201eZug\u201c \ud83d\udc1f"]');
INSERT INTO public.alembic_version VALUES ('0001');
INSERT INTO public.forfeits VALUES ('813dd260d825348b', 1, 3, 'resigned', 'greedy');
INSERT INTO public.matches VALUES ('6475deab3cadc1ba', 1, 'first', '{"match_id": "6475deab3cadc1ba", "rules": {"game": "teutonica", "edition": "2009", "board": "standard-3", "players": 2, "missions": false, "favours": false, "turn_limit": 12}, "seed": "11", "players": ["anna", "bert"], "clock": {"per_decision": 3600.0, "bank": 0.0, "increment": 0.0, "grace": 0.05}, "on_forfeit": "end", "forgiven": 3, "anonymous": false}', 'finished', '2026-11-18 14:50:11.144739+00', '2026-11-18 14:50:11.1823+00', '{"reasons": ["turn limit"], "scores": [{"track": 0, "abilities": 0, "markers": 0, "prestige": 0, "cities": 0, "network": 0, "missions": 0, "total": 0}, {"track": 0, "abilities": 0, "markers": 0, "prestige": 0, "cities": 0, "network": 0, "missions": 0, "total": 0}], "ranks": [1, 1], "forfeits": [null, null]}');
INSERT INTO public.matches VALUES ('93cc5f8641899695', 2, NULL, '{"match_id": "93cc5f8641899695", "rules": {"game": "hansa", "edition": "2004", "board": "hansa-2004", "players": 2, "missions": false, "favours": false, "turn_limit": 12}, "seed": "12", "players": ["bert", "builtin:greedy"], "clock": {"per_decision": 3600.0, "bank": 0.0, "increment": 0.0, "grace": 0.05}, "on_forfeit": "end", "forgiven": 3, "anonymous": false}', 'finished', '2026-11-18 14:50:11.202541+00', '2026-11-18 14:50:11.238546+00', '{"reasons": ["turn limit"], "scores": [{"unsold": 2, "sold": 0, "cities": 12, "total": 14}, {"unsold": 2, "sold": 14, "cities": 24, "total": 40}], "ranks": [2, 1], "forfeits": [null, null]}');
INSERT INTO public.matches VALUES ('813dd260d825348b', 3, NULL, '{"match_id": "813dd260d825348b", "rules": {"game": "teutonica", "edition": "big-box", "board": "standard-3", "players": 3, "missions": false, "favours": false, "turn_limit": 6}, "seed": "13", "players": ["anna", "bert", "builtin:random"], "clock": {"per_decision": 3600.0, "bank": 0.0, "increment": 0.0, "grace": 0.05}, "on_forfeit": "replace", "forgiven": 3, "anonymous": false}', 'finished', '2026-11-18 14:50:11.259378+00', '2026-11-18 14:50:11.283205+00', '{"reasons": ["turn limit"], "scores": [{"track": 0, "abilities": 0, "markers": 0, "prestige": 0, "cities": 0, "network": 0, "missions": 0, "total": 0}, {"track": 0, "abilities": 0, "markers": 0, "prestige": 0, "cities": 2, "network": 1, "missions": 0, "total": 3}, {"track": 0, "abilities": 0, "markers": 0, "prestige": 0, "cities": 0, "network": 0, "missions": 0, "total": 0}], "ranks": [1, 3, 1], "forfeits": [null, "resigned", null]}');
INSERT INTO public.matches VALUES ('8949dcca9e376db1', 4, 'running', '{"match_id": "8949dcca9e376db1", "rules": {"game": "teutonica", "edition": "2009", "board": "standard-3", "players": 2, "missions": false, "favours": false, "turn_limit": 30}, "seed": "14", "players": ["anna", "builtin:greedy"], "clock": {"per_decision": 3600.0, "bank": 0.0, "increment": 0.0, "grace": 0.05}, "on_forfeit": "end", "forgiven": 3, "anonymous": false}', 'running', '2026-11-18 14:50:11.306694+00', NULL, NULL);
INSERT INTO public.matches VALUES ('93fcbf264601ab04', 5, NULL, '{"match_id": "93fcbf264601ab04", "rules": {"game": "teutonica", "edition": "2009", "board": "standard-3", "players": 2, "missions": false, "favours": false, "turn_limit": 10}, "seed": "15", "players": ["anna", "builtin:random"], "clock": {"per_decision": 3600.0, "bank": 0.0, "increment": 0.0, "grace": 0.05}, "on_forfeit": "end", "forgiven": 3, "anonymous": false}', 'aborted', '2026-11-18 14:50:11.334743+00', '2026-11-18 14:50:11.352254+00', '{"reasons": ["aborted"], "scores": [{"track": 0, "abilities": 0, "markers": 0, "prestige": 0, "cities": 0, "network": 0, "missions": 0, "total": 0}, {"track": 0, "abilities": 0, "markers": 0, "prestige": 0, "cities": 0, "network": 0, "missions": 0, "total": 0}], "ranks": [1, 1], "forfeits": [null, null]}');
INSERT INTO public.tokens VALUES ('b802c39a', '3299dd2451ad2d503d576481d94d2dec2ab9027103d3d99dd19ef2fa0fff6884', 'watcher', 'willi', '2026-11-18 14:50:11.35841+00', NULL, NULL);
ALTER TABLE ONLY public.actions
    ADD CONSTRAINT actions_pkey PRIMARY KEY (match_id, sequence);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.forfeits
    ADD CONSTRAINT forfeits_pkey PRIMARY KEY (match_id, seat);
ALTER TABLE ONLY public.matches
    ADD CONSTRAINT matches_number_key UNIQUE (number);
ALTER TABLE ONLY public.matches
    ADD CONSTRAINT matches_pkey PRIMARY KEY (match_id);
ALTER TABLE ONLY public.matches
    ADD CONSTRAINT matches_request_id_key UNIQUE (request_id);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (token_id);
CREATE INDEX ix_matches_state ON public.matches USING btree (state);
ALTER TABLE ONLY public.actions
    ADD CONSTRAINT actions_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.matches(match_id);
ALTER TABLE ONLY public.forfeits
    ADD CONSTRAINT forfeits_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.matches(match_id);
