// Generated from openapi.yaml by `npm run contract`. Change the source, not this file.

export interface paths {
    "/oauth2/client/v1/accessToken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Take a token in client mode */
        get: operations["getClientAccessToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/client/v1/refreshToken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Renew a token of client mode */
        get: operations["refreshClientToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/code/v1/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask a user to authorize the application
         * @description Once the user has agreed, the user is redirected to `redirectUri` with a temporary code.
         */
        get: operations["authorizeCode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/code/v1/accessToken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Take a token in authorization-code mode */
        get: operations["getCodeAccessToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/code/v1/refreshToken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Renew a token of authorization-code mode */
        get: operations["refreshCodeToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/v1/{accessToken}/username": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Name of the user whom a token belongs to */
        get: operations["getTokenUsername"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Health of the platform */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/alarms/v1/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Alarms that are active now
         * @description Not paged.
         */
        get: operations["listCurrentAlarms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/alarms/v1/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Historical alarms */
        get: operations["listAlarmHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/datatable/v1/{objName}/addDataTableEntry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add an entry to a data table */
        post: operations["addDatatableEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/datatable/v1/{objName}/deleteDataTableEntry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete entries of a data table */
        post: operations["deleteDatatableEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/datatable/v1/{objName}/updateDataTableEntry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change entries of a data table */
        post: operations["updateDatatableEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/networks/v1": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Networks of the production architecture */
        get: operations["listNetworks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/networks/v1/{networkName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Objects of a network */
        get: operations["getNetwork"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/objects/v1": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Objects */
        get: operations["listObjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/objects/v1/{objName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One object with its metadata */
        get: operations["getObject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/objects/v1/{objName}/properties": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Properties of an object */
        get: operations["listObjectProperties"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/objects/v1/properties/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Current values of properties
         * @description When an object does not exist, the reply reports that it was not found. The value of a property that does not exist is null.
         */
        post: operations["readCurrent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/objects/v1/properties/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Historical values of properties */
        post: operations["readHistory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/orgs/v1": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Organization trees */
        get: operations["listOrgs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/orgs/v1/{orgName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One organization tree */
        get: operations["getOrg"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/orgs/v1/{orgName}/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Nodes of an organization tree, as a flat list */
        get: operations["listOrgNodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/orgs/v1/{orgName}/nodes/{nodeName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One node of an organization tree */
        get: operations["getOrgNode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/orgs/v1/{orgName}/persons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Persons of an organization tree */
        get: operations["listOrgPersons"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/persons/v1": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Persons */
        get: operations["listPersons"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/persons/v1/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One person */
        get: operations["getPerson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/users/v1": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Users */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/users/v1/{username}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One user with person and roles */
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/workflows/v1/start/{diagramCode}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a workflow */
        post: operations["startWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ResponseSuccess: {
            /** @description Authorization token. */
            accessToken?: string;
            /** @description How long the access token is valid, in seconds. */
            expiresIn?: string;
            /** @description Renews the access token. */
            refreshToken?: string;
        };
        GeneralError: {
            /** @description A code like those of HTTP or one of ErrorCode. */
            code?: string;
            /** @description Text of the error. */
            message?: string;
        };
        /**
         * @description 800000 succeeded, 800001 failed, 800002 internal exception, 800003 parameter error.
         * @enum {string}
         */
        ErrorCode: "800000" | "800001" | "800002" | "800003";
        /** @description Headers of a reply. */
        Created: {
            /** @description URL of the accessed resource. */
            Location?: string;
        };
        /** @description Headers of a reply. */
        Updated: {
            /** @description URL of the accessed resource. */
            Location?: string;
        };
        Pagination: {
            /** @description Number of this page. */
            pageIndex?: number;
            /** @description Entries per page. */
            pageSize?: number;
            /** @description Entries in all. */
            total?: number;
        };
        HealthResult: {
            result?: string;
        };
        /**
         * Format: date-time
         * @description An ISO 8601 timestamp.
         */
        Timestamp: string;
        /** @description An object whose members the specification does not show. */
        OpenObject: {
            [key: string]: unknown;
        };
        AlarmCurrentInfo: {
            /** @description Status of the acknowledgement. */
            ackStatus?: components["schemas"]["Int64"];
            /** @description When it was acknowledged. */
            ackTime?: components["schemas"]["Timestamp"];
            /** @description Who acknowledged it. */
            ackUserName?: string;
            alarmType?: string;
            description?: string;
            priority?: components["schemas"]["Int64"];
            /** @description Name of the alarm. */
            showName?: string;
            /** @description Alias of the source object. */
            sourceObjName?: string;
            /** @description Name of the source object. */
            sourceObjShowName?: string;
            /** @description Alias of the source property. */
            sourcePropName?: string;
            /** @description Name of the source property. */
            sourcePropShowName?: string;
            startTime?: components["schemas"]["Timestamp"];
            status?: components["schemas"]["Int64"];
            /** @description Latest value. */
            value?: string;
        };
        /** @description Like AlarmCurrentInfo, but the two status members are text. */
        AlarmHistoryInfo: {
            /** @description Status of the acknowledgement. */
            ackStatus?: string;
            /** @description When it was acknowledged. */
            ackTime?: components["schemas"]["Timestamp"];
            /** @description Who acknowledged it. */
            ackUserName?: string;
            alarmType?: string;
            description?: string;
            priority?: components["schemas"]["Int64"];
            /** @description Name of the alarm. */
            showName?: string;
            /** @description Alias of the source object. */
            sourceObjName?: string;
            /** @description Name of the source object. */
            sourceObjShowName?: string;
            /** @description Alias of the source property. */
            sourcePropName?: string;
            /** @description Name of the source property. */
            sourcePropShowName?: string;
            startTime?: components["schemas"]["Timestamp"];
            status?: string;
            /** @description Latest value. */
            value?: string;
        };
        /**
         * Format: int64
         * @description An integer of 64 bits.
         */
        Int64: number | bigint;
        GetObjectBaseInfo: {
            code?: string;
            createTime?: components["schemas"]["Timestamp"];
            createUsername?: string;
            description?: string;
            explain?: string;
            icon?: string;
            modelLabels?: components["schemas"]["SimpleModelLabel"][];
            name: string;
            range?: string;
            showName?: string;
            /** @default false */
            status?: boolean;
            valueStream?: string;
        };
        GetObjectDetailInfo: components["schemas"]["GetObjectBaseInfo"] & {
            events?: components["schemas"]["Event"][];
            features?: string[];
            properties?: components["schemas"]["OpenObject"][];
            services?: components["schemas"]["Service"][];
            subscriptions?: components["schemas"]["Subscription"][];
            templateName?: string;
        };
        CommonObjectInstance: {
            code?: string;
            createTime?: components["schemas"]["Timestamp"];
            createUsername?: string;
            description?: string;
            name: string;
            showName?: string;
        };
        CommonMetadata: {
            name: string;
            description?: string;
        };
        /** @description A label by which metadata are classified and filtered. */
        SimpleModelLabel: string;
        /** @description Name of a property of an object instance. */
        SimplePropName: string;
        BindInfo: {
            bindingInfo?: components["schemas"]["Binding"];
        };
        Binding: {
            /** @description Full path of the property of the remote object. */
            source?: string;
            /** @description Property of this object instance that is bound. */
            target?: string;
        };
        CommonProperty: {
            code?: string;
            commonTypeValues?: {
                fields?: components["schemas"]["FieldTypeAnonymity"][];
            };
            /** @description May be empty; otherwise an object with one member that holds the value. */
            defaultValue?: components["schemas"]["OpenObject"];
            /** @default false */
            logged?: boolean;
            modelLabels?: components["schemas"]["SimpleModelLabel"][];
            /** @default false */
            override?: boolean;
            /** @default false */
            persisted?: boolean;
            /** @description Data type. */
            primitiveType: string;
            range?: string;
            /** @default false */
            readonly?: boolean;
            showName?: string;
            structType?: components["schemas"]["StructType"];
        };
        Property: components["schemas"]["CommonProperty"] & {
            bindingInfo?: components["schemas"]["Binding"];
            description?: string;
            name: string;
        };
        /**
         * @description 0 a basic type, 1 a list.
         * @enum {integer}
         */
        StructType: 0 | 1;
        CommonEvent: {
            dataStruct: string;
            modelLabels?: components["schemas"]["SimpleModelLabel"][];
            /** @default false */
            override?: boolean;
        };
        Event: components["schemas"]["CommonEvent"] & {
            description?: string;
            name: string;
        };
        Service: {
            description?: string;
            inputs?: components["schemas"]["ServiceInputField"][];
            modelLabels?: components["schemas"]["SimpleModelLabel"][];
            name?: string;
            output?: components["schemas"]["OutputParameter"];
            /** @default false */
            override?: boolean;
            /** @description Code of the script. */
            script?: string;
        };
        CommonField: {
            defaultValue?: components["schemas"]["OpenObject"];
            description?: string;
            hasDefault?: boolean;
            name: string;
            primitiveType?: string;
            primitiveTypeDefinition?: components["schemas"]["primitiveTypeDefinition"];
            structType?: components["schemas"]["StructType"];
        };
        ServiceInputField: components["schemas"]["CommonField"] & {
            /** @description Whether the field is mandatory (spelled like this by the specification). */
            reqired?: boolean;
        };
        DataStructField: components["schemas"]["CommonField"] & {
            /** @description Whether the field is a primary key. */
            primary?: boolean;
        };
        OutputParameter: {
            description?: string;
            name: string;
            /** @description Name of the type of the output. */
            primitiveType?: string;
            structType?: components["schemas"]["StructType"];
        };
        FieldType: {
            description?: string;
            name: string;
            primitiveType?: string;
            structType?: components["schemas"]["StructType"];
        };
        FieldTypeAnonymity: components["schemas"]["FieldType"] & {
            commonTypeValues?: {
                fields?: components["schemas"]["FieldType"][];
            };
        };
        primitiveTypeDefinition: {
            description?: string;
            /** @default false */
            hasDefault?: boolean;
            name: string;
            property?: {
                /** @description More constraints, such as the least and the greatest value of an integer type. */
                aspect?: components["schemas"]["OpenObject"];
            };
        };
        SubscriptionMetadata: {
            /** @default false */
            enabled?: boolean;
            /** @description Name of the event. */
            event?: string;
            /** @description Name of the subscription. */
            name?: string;
            /** @description Name of the object. */
            source?: string;
        };
        Subscription: components["schemas"]["SubscriptionMetadata"] & {
            description?: string;
            script?: string;
        };
        TableCommonInfo: {
            createTime?: string;
            createUsername?: string;
            modifyTime?: string;
            modifyUsername?: string;
        };
        NetworkBaseInfo: {
            description?: string;
            name?: string;
            showName?: string;
        };
        NetworkObject: {
            description?: string;
            name?: string;
            properties?: {
                defaultValue?: components["schemas"]["OpenObject"];
                name?: string;
            }[];
            showName?: string;
            templateName?: string;
        };
        NetworkObjectSearchList: components["schemas"]["NetworkObject"] & {
            children?: components["schemas"]["NetworkObject"][];
        };
        OrganizationTreeQueryInfo: {
            /** @description Only child nodes have one; the root has none. */
            code?: string;
            description?: string;
            modelLabels?: string[];
            /** @description Unique alias. */
            name?: string;
            showName?: string;
        };
        OrganizationTreeInfo: {
            description?: string;
            modelLabels?: string[];
            name?: string;
            persons?: components["schemas"]["OpenObject"][];
            showName?: string;
        };
        OrganizationTreeList: {
            children?: components["schemas"]["OpenObject"][];
            description?: string;
            modelLabels?: string[];
            name?: string;
            persons?: string[];
            showName?: string;
        };
        OrganizationTreeUpdateInfo: {
            code?: string;
            description?: string;
            leader: components["schemas"]["OpenObject"][];
            modelLabels?: string[];
            showName: string;
        };
        OrganizationTreeAddInfo: components["schemas"]["OrganizationTreeUpdateInfo"] & {
            name: string;
        };
        OrganizationNodeBase: {
            /** @description Unique alias. */
            name?: string;
            /** @description Alias of the parent node. */
            parent?: string;
            /** @description Name of the tree, that is, of its root node. */
            root?: string;
            showName?: string;
        };
        OrganizationNodeDetailInfo: {
            code?: string;
            description?: string;
            modelLabels?: string[];
            name: string;
            parent: string;
            /** @description Order of display. */
            sequenceNumber?: number;
            showName: string;
        };
        OrganizationNodeResultDetailInfo: {
            code?: string;
            description?: string;
            modelLabels?: string[];
            name?: string;
            /** @description Associated nodes, written as paths of names with slashes. */
            nodes?: components["schemas"]["OpenObject"][];
            parent?: string;
            /** @description Codes of associated persons. */
            persons?: components["schemas"]["OpenObject"][];
            root?: string;
            /** @description Order of display. */
            sequenceNumber?: number;
            showName?: string;
        };
        CorrelationOrganization: {
            /** @description Alias of the node. */
            nodeName?: string;
            /** @description Alias of the tree. */
            orgName?: string;
            /** @description Path of node names with slashes. */
            orgPath?: string;
        };
        /** @enum {string} */
        Gender: "male" | "female";
        BaseInfo: {
            /** @description Alias of the person. */
            name: string;
            /** @description Name of the person. */
            showName: string;
        };
        PersonBaseInfo: {
            gender: components["schemas"]["Gender"];
            name: string;
            showName: string;
        };
        PersonInfo: {
            account?: components["schemas"]["UserBaseInfo"];
            gender?: components["schemas"]["Gender"];
            /** @description Number of the person. */
            name?: string;
            organizations?: components["schemas"]["Organizations"];
            showName?: string;
        };
        PersonQueryInfo: {
            account?: components["schemas"]["UserBaseInfo"];
            gender: components["schemas"]["Gender"];
            name: string;
            organizations?: components["schemas"]["Organizations"];
            showName: string;
        };
        /** @description Ordered, beginning at the root. */
        Organizations: components["schemas"]["OpenObject"][];
        UpdatePersonInfo: {
            gender: components["schemas"]["Gender"];
            showName: string;
        };
        CorrelationUser: {
            name?: string;
            relationUser?: string;
        };
        UserBaseInfo: {
            email?: string;
            phone?: string;
            timeZone?: string;
            userDesc?: string;
            username?: string;
        };
        QueryUser: components["schemas"]["UserBaseInfo"] & {
            person?: components["schemas"]["BaseInfo"];
            roles?: components["schemas"]["RoleInfo"][];
            /** @description Path of the avatar. */
            uploadUrl?: string;
        };
        AddUser: components["schemas"]["UserBaseInfo"] & {
            password?: string;
        };
        LoginParam: {
            password?: string;
            username?: string;
        };
        Role: {
            description?: string;
            name?: string;
            showName?: string;
        };
        RoleInfo: components["schemas"]["Role"] & components["schemas"]["TableCommonInfo"];
        PropCurrentReq: {
            params?: string[];
        } & {
            [key: string]: unknown;
        };
        PropHistoryReq: {
            fill?: {
                /** @description How gaps are filled, for example `previous`. */
                strategy?: string;
            };
            groupBy?: {
                /** @description Period and offset of the groups, separated by a comma. */
                time?: string;
            };
            /** @description Number of elements to return. */
            limit?: number;
            /** @description Offset of the first element. */
            offset?: number;
            select?: string[];
            where?: {
                and?: {
                    /** @description Timestamps in UTC, YYYY-MM-DDThh:mm:ssZ. */
                    timestamp?: {
                        /** @description To the second. */
                        ge?: string;
                        gt?: string;
                        le?: string;
                        lt?: string;
                    };
                };
            };
        };
        PropHistoryResp: {
            results?: components["schemas"]["PropHistoryResult"][];
        };
        /** @description One item of `results` in PropHistoryResp. */
        PropHistoryResult: {
            name?: string;
            function?: string;
            fields?: string[];
            datas?: unknown[][];
        };
        WorkflowStart: {
            appId?: string;
            audit?: components["schemas"]["Audit"];
            /** @description Business data. */
            data?: components["schemas"]["OpenObject"];
            userId?: string;
            userName?: string;
        };
        Audit: {
            /** @description Comment on the approval. */
            comment?: string;
            name?: string;
            value?: string;
        };
    };
    responses: {
        /** @description A new token. */
        Token: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ResponseSuccess"];
            };
        };
        /** @description Created. */
        Created: {
            headers: {
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description Updated. */
        Updated: {
            headers: {
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The operation failed. */
        GeneralError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GeneralError"];
            };
        };
    };
    parameters: {
        /** @description Id of the application. */
        appid: string;
        /** @description The refreshToken of ResponseSuccess. */
        refreshToken: string;
        /** @description Number of the page, from 1. */
        page: number;
        /** @description Entries per page. */
        perPage: number;
        /** @description Only entries with these labels. */
        modelLabels: components["schemas"]["SimpleModelLabel"][];
        /** @description Alias of the object. */
        objName: string;
        /** @description Alias of the organization tree. */
        orgName: string;
    };
    requestBodies: never;
    headers: {
        /** @description URL of the accessed resource. */
        Location: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getClientAccessToken: {
        parameters: {
            query: {
                /** @description Id of the application. */
                appid: components["parameters"]["appid"];
                grantType: "client_credential";
                /** @description Secret of the application. */
                secret: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Token"];
            400: components["responses"]["GeneralError"];
        };
    };
    refreshClientToken: {
        parameters: {
            query: {
                /** @description The refreshToken of ResponseSuccess. */
                refreshToken: components["parameters"]["refreshToken"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Token"];
            400: components["responses"]["GeneralError"];
        };
    };
    authorizeCode: {
        parameters: {
            query: {
                /** @description Id of the application. */
                appid: components["parameters"]["appid"];
                /** @description Where the user returns with the code. */
                redirectUri: string;
                responseType: "code";
                scope?: string;
                /** @description Text that comes back with the redirection. */
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted; no content. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["GeneralError"];
        };
    };
    getCodeAccessToken: {
        parameters: {
            query: {
                /** @description Id of the application. */
                appid: components["parameters"]["appid"];
                /** @description The code that the authorize step led to. */
                code: string;
                grantType: "authorization_code";
                /** @description Called by the platform when the user logs out there, so that the application logs the user out too. */
                logoutUri?: string;
                /** @description Secret of the application. */
                secret?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Token"];
            400: components["responses"]["GeneralError"];
        };
    };
    refreshCodeToken: {
        parameters: {
            query: {
                /** @description The refreshToken of ResponseSuccess. */
                refreshToken: components["parameters"]["refreshToken"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Token"];
            400: components["responses"]["GeneralError"];
        };
    };
    getTokenUsername: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The token in question. */
                accessToken: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user who is logged in with this token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Name of the platform user. */
                        userName?: string;
                    };
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform is healthy. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthResult"];
                };
            };
            /** @description The platform is not healthy. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthResult"];
                };
            };
        };
    };
    listCurrentAlarms: {
        parameters: {
            query?: {
                /** @description Name of an object or of an object's property. */
                keyword?: string;
                /** @description Priority of the alarms, 1 to 10. */
                priority?: "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "10";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All active alarms that match. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        list?: components["schemas"]["AlarmCurrentInfo"][];
                    };
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    listAlarmHistory: {
        parameters: {
            query?: {
                startTime?: string;
                endTime?: string;
                /** @description Name or description of an alarm. */
                keyword?: string;
                priority?: string;
                /** @description Number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description Entries per page. */
                per_page?: components["parameters"]["perPage"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of historical alarms. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        list?: components["schemas"]["AlarmHistoryInfo"][];
                        pagination?: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    addDatatableEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Alias of the object. */
                objName: components["parameters"]["objName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenObject"];
            };
        };
        responses: {
            201: components["responses"]["Created"];
            400: components["responses"]["GeneralError"];
        };
    };
    deleteDatatableEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Alias of the object. */
                objName: components["parameters"]["objName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenObject"];
            };
        };
        responses: {
            /** @description Deleted; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["GeneralError"];
        };
    };
    updateDatatableEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Alias of the object. */
                objName: components["parameters"]["objName"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The new values. */
                    update?: components["schemas"]["OpenObject"];
                    /** @description Which entries to change. */
                    where?: components["schemas"]["OpenObject"];
                };
            };
        };
        responses: {
            201: components["responses"]["Updated"];
            400: components["responses"]["GeneralError"];
        };
    };
    listNetworks: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description Entries per page. */
                per_page?: components["parameters"]["perPage"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of networks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        list?: components["schemas"]["NetworkBaseInfo"][];
                        pagination?: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    getNetwork: {
        parameters: {
            query?: {
                /** @description The value `recursion` asks for all levels; without it only the first level is returned. */
                recursion?: "recursion";
                /** @description Only objects of these templates. */
                templateName?: string[];
            };
            header?: never;
            path: {
                /** @description Alias of the network. */
                networkName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The objects of the network. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        children?: components["schemas"]["NetworkObjectSearchList"][];
                    };
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    listObjects: {
        parameters: {
            query?: {
                /** @description Only objects with this feature set, instances of templates that inherit it included. */
                featureName?: string;
                /** @description Part of description, showName or name. */
                keyword?: string;
                /** @description Only entries with these labels. */
                modelLabels?: components["parameters"]["modelLabels"];
                /** @description Beginning of the object's name. */
                objName?: string;
                /** @description Only objects of this template. When empty, all objects but subscription and alarm objects. */
                templateName?: string;
                /** @description Number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description Entries per page. */
                per_page?: components["parameters"]["perPage"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        list?: components["schemas"]["GetObjectBaseInfo"][];
                        pagination?: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    getObject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Alias of the object. */
                objName: components["parameters"]["objName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetObjectDetailInfo"];
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    listObjectProperties: {
        parameters: {
            query?: {
                /** @description Only entries with these labels. */
                modelLabels?: components["parameters"]["modelLabels"];
                /** @description Beginning of the property's name. */
                propName?: string;
                /** @description Number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description Entries per page. */
                per_page?: components["parameters"]["perPage"];
            };
            header?: never;
            path: {
                /** @description Alias of the object. */
                objName: components["parameters"]["objName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of properties. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        list?: components["schemas"]["OpenObject"][];
                        pagination?: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    readCurrent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PropCurrentReq"];
            };
        };
        responses: {
            /** @description The values. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenObject"];
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    readHistory: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PropHistoryReq"];
            };
        };
        responses: {
            /** @description The values, one result per property and function. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results?: (components["schemas"]["PropHistoryResult"] | components["schemas"]["PropHistoryResp"])[];
                    };
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    listOrgs: {
        parameters: {
            query?: {
                /** @description Part of name, showName or description. */
                keyword?: string;
                /** @description Only trees with this label. */
                modelLabel?: string;
                /** @description Number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description Entries per page. */
                per_page?: components["parameters"]["perPage"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of trees. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        list?: components["schemas"]["OrganizationTreeQueryInfo"][];
                        pagination?: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    getOrg: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Alias of the organization tree. */
                orgName: components["parameters"]["orgName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tree. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationTreeInfo"];
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    listOrgNodes: {
        parameters: {
            query?: {
                /** @description Part of showName, name or description. */
                keyword?: string;
                /** @description Number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description Entries per page. */
                per_page?: components["parameters"]["perPage"];
            };
            header?: never;
            path: {
                /** @description Alias of the organization tree. */
                orgName: components["parameters"]["orgName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of nodes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        list?: components["schemas"]["OrganizationNodeDetailInfo"][];
                        pagination?: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    getOrgNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Alias of the organization tree. */
                orgName: components["parameters"]["orgName"];
                /** @description Unique alias of the node. */
                nodeName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The node. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationNodeResultDetailInfo"];
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    listOrgPersons: {
        parameters: {
            query?: {
                /** @description Part of showName, account or description. */
                keyword?: string;
                /** @description Only persons of the node with this alias. */
                nodeName?: string;
                /** @description Number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description Entries per page. */
                per_page?: components["parameters"]["perPage"];
            };
            header?: never;
            path: {
                /** @description Alias of the organization tree. */
                orgName: components["parameters"]["orgName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of persons. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        list?: components["schemas"]["PersonInfo"][];
                        pagination?: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    listPersons: {
        parameters: {
            query?: {
                /** @description true: persons bound to a user; false: persons without; absent: all. */
                hasAccount?: boolean;
                /** @description Whether information on organizations is included. */
                includeOrgs?: boolean;
                /** @description Alias of a person. */
                name?: string;
                /** @description Name of a person. */
                showName?: string;
                /** @description Number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description Entries per page. */
                per_page?: components["parameters"]["perPage"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of persons. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        list?: components["schemas"]["PersonBaseInfo"][];
                        pagination?: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    getPerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique alias of the person. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonQueryInfo"];
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description Fuzzy match. */
                keyword?: string;
                /** @description Number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description Entries per page. */
                per_page?: components["parameters"]["perPage"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of users. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        list?: components["schemas"]["UserBaseInfo"][];
                        pagination?: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the user. */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryUser"];
                };
            };
            400: components["responses"]["GeneralError"];
        };
    };
    startWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Code of the process. */
                diagramCode: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowStart"];
            };
        };
        responses: {
            201: components["responses"]["Created"];
            400: components["responses"]["GeneralError"];
        };
    };
}
